import MusicalTime
import Reconciliation
import Simulation
import Testing

/// What simulated worlds have found in the program, each as the shortest history in which it was seen.
@Suite struct RegressionTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var history: History

    init(_ description: String, _ history: History) {
      testDescription = description
      self.history = history
    }
  }

  @Test(arguments: cases) func `What was mended stays mended`(_ mended: Case) {
    let violation = Simulation(mended.history).run()
    #expect(violation == nil, "\(String(describing: violation))\n\(mended.history.code)")
  }

  static let cases = [
    Case(
      "A start that is repeated while it is held goes back to where it rested, when it is taken back",
      History(
        Setup(
          seed: 3038, rules: .modernPipewire, period: 512, rate: SampleRate(hertz: 96_000) ?? .standard,
          skew: 2.217149981836977e-05, jitter: .milliseconds(0.104394), clockOffset: .milliseconds(249.6),
          clockSkew: -1.8032347171741726e-06, tempo: .bpm(174.56068893285232), launch: .now),
        [
          .at(132.486140474, .periodChanges(to: 256)),
          .at(
            137.884606379,
            .peersJoin(
              2,
              .init(
                tempo: .bpm(85.72653236176596), shift: Beats(nanobeats: 11_822_840_455), isPlaying: true,
                tellsPlay: false))),
          .at(289.825669731, .slowClient(needs: nil)),
          .at(541.99075998, .clientStarts),
          .at(546.873057904, .clientStarts),
          .at(549.360299387, .clientStops),
        ], duration: .seconds(549.371831597))),
    Case(
      "A peer that joins while an owner lets its tempo glide is told nothing of our own press",
      History(
        Setup(
          seed: 288, period: 1024, rate: SampleRate(hertz: 44100) ?? .standard, skew: -4.080322825579033e-05,
          jitter: .milliseconds(0.167315), tempo: .bpm(148.16204977257127), meter: Meter("6/8") ?? .common,
          relocation: .roll),
        [
          .at(157.485226196, .ownerTakes(.truthful, beatsPerMinute: 126, ticksPerBeat: 1_920_000, lead: 0)),
          .at(220.43921099, .clientStarts),
          .at(223.768645944, .ownerGlides(to: 192, over: .milliseconds(6931.739842))),
          .at(
            226.303028059,
            .peersJoin(
              2,
              .init(
                tempo: .bpm(111.71416070082017), shift: Beats(nanobeats: 5_238_986_540), isPlaying: false,
                tellsPlay: false))),
        ], duration: .seconds(226.821772501))),
    Case(
      "What steering has made of a tempo is nobody's where a peer says it once more",
      History(
        Setup(
          seed: 70000548, period: 2048, skew: 5.3563744447316934e-06, jitter: .milliseconds(0.243114),
          misses: .milliseconds(8612.08286), tempo: .bpm(198.01718789190903),
          quantum: Quantum(beats: 3.0) ?? Quantum(barOf: .common), frameAlignment: .exact, discipline: .tempo),
        [
          .at(0.0, .bridgeEnds(for: .milliseconds(1053.859786))),
          .at(
            0.216149202,
            .peersJoin(
              1,
              .init(
                tempo: .bpm(168.18453206858564), shift: Beats(nanobeats: 6_107_965_942), isPlaying: true,
                tellsPlay: false))),
          .at(0.498567037, .clientStarts),
          .at(14.517632354, .peerRepeats(after: .milliseconds(813.277427))),
          .at(49.267420253, .clientLoops(by: Beats(nanobeats: 3_000_000_000))),
        ], duration: .seconds(55))),
    Case(
      "Where everybody is at frame 0 another owner is told by its tempo",
      History(
        Setup(
          seed: 70003877, rules: .pipewire, period: 1024, rate: SampleRate(hertz: 44100.0) ?? .standard,
          skew: 5.120778093352798e-05, clockOffset: .milliseconds(249.6),
          clockSkew: 1.0173354698073833e-06, tempo: .bpm(184.85256467529106), meter: Meter("6/8") ?? .common,
          launch: .now, discipline: .relocate),
        [
          .at(6.473575767, .ownerTakes(.truthful, beatsPerMinute: 153.0, ticksPerBeat: 1_920_000.0, lead: 0)),
          .at(
            8.307683843,
            .peersJoin(
              3,
              .init(
                tempo: .bpm(99.66065546813101), shift: Beats(nanobeats: 7_282_715_789), isPlaying: true,
                tellsPlay: true))),
        ], duration: .seconds(30))),
    Case(
      "An owner that stands still for long as it begins to roll is put in phase when it goes on",
      History(
        Setup(
          seed: 40037093, rules: .modernPipewire, period: 1024, rate: SampleRate(hertz: 96000.0) ?? .standard,
          skew: 5.680897127373543e-05, clockOffset: .milliseconds(249.6), clockSkew: 7.40113562252076e-08,
          tempo: .bpm(62.07048517394736), relocation: .roll),
        [
          .at(0.037156096, .periodChanges(to: 128)),
          .at(169.718947722, .ownerTakes(.truthful, beatsPerMinute: 70.0, ticksPerBeat: 1920.0, lead: 0)),
          .at(368.926687939, .clientStarts),
          .at(371.681411556, .clientStops),
          .at(385.220804012, .ownerTakes(.truthful, beatsPerMinute: 76.0, ticksPerBeat: 1920.0, lead: 3072)),
          .at(385.237989644, .stall(.milliseconds(4.363102), isNoticed: true)),
          .at(451.749883431, .clockSlews(to: 0.0002918579432987147)),
          .at(455.173132249, .peersJoin(3, nil)),
          .at(458.157469213, .clientStarts),
        ], duration: .seconds(458.804965778))),
    Case(
      "What an owner shows late is known also where it declares a tempo that it does not have",
      History(
        Setup(
          seed: 40042972, rules: .pipewire, period: 1024, skew: 4.681086207007905e-05,
          jitter: .milliseconds(0.051866), clockOffset: .milliseconds(249.6),
          clockSkew: -3.624327879440839e-06,
          tempo: .bpm(83.36911257748118), meter: Meter("3/4") ?? .common, startStopSync: false,
          frameAlignment: .exact, discipline: .relocate),
        [
          .at(3.309190631, .clientStarts),
          .at(
            299.582273503,
            .peersJoin(
              3,
              .init(
                tempo: .bpm(93.88789784996715), shift: Beats(nanobeats: 11_261_209_376), isPlaying: false,
                tellsPlay: false))),
          .at(302.774881127, .slowClient(needs: 20)),
          .at(
            302.805710599,
            .ownerTakes(.liesAboutTempo, beatsPerMinute: 111.0, ticksPerBeat: 1920000.0, lead: 0)),
          .at(305.325713981, .peerChangesTempo(to: .bpm(126.27325532452227))),
          .at(305.473609923, .ownerChangesTempo(to: 103.0)),
          .at(437.685347958, .clientStops),
          .at(439.365052036, .clientStarts),
          .at(476.396990946, .clockSlews(to: 0.0003281933573204864)),
          .at(476.398847622, .clientLocates(frame: 21_368_673)),
        ], duration: .seconds(478.14295705))),
    Case(
      "What a client needs is learnt also while the clock is restless",
      History(
        Setup(
          seed: 40043753, rules: .modernPipewire, period: 512, skew: -1.0673708893326418e-05,
          jitter: .milliseconds(0.199201), clockOffset: .milliseconds(249.6),
          clockSkew: 3.7597379867462925e-07,
          tempo: .bpm(154.99350318899133), launch: .now, frameAlignment: .exact, relocation: .roll),
        [
          .at(45.055685564, .clockSlews(to: 0.0004806060658952257)),
          .at(363.848747458, .periodChanges(to: 4096)),
          .at(365.528062376, .serverDies(for: .milliseconds(1764.766693))),
          .at(392.662447247, .slowClient(needs: 12)),
          .at(
            395.538594592,
            .peersJoin(
              2,
              .init(
                tempo: .bpm(140.30952280731293), shift: Beats(nanobeats: 5_142_827_631), isPlaying: true,
                tellsPlay: true))),
          .at(395.55131407, .clockSlews(to: -0.0004097658075608476)),
          .at(395.583358514, .command(.start)),
        ], duration: .seconds(400.265020265))),
    Case(
      "A client that shows only as a roll is put right that it needs time has it put right once more",
      History(
        Setup(
          seed: 40059365, rules: .pipewire, period: 512, skew: -8.980964644143995e-05,
          jitter: .milliseconds(0.29724), clockOffset: .milliseconds(249.6),
          clockSkew: 2.3631552878100182e-06,
          hasLatency: false, tempo: .bpm(84.25877555147369), meter: Meter("6/8") ?? .common, launch: .beat,
          frameAlignment: .exact, mode: .link),
        [
          .at(280.111853822, .slowClient(needs: 3)),
          .at(326.104542218, .ownerTakes(.truthful, beatsPerMinute: 165.0, ticksPerBeat: 1920.0, lead: 0)),
          .at(328.181087932, .clientStarts),
          .at(412.168601565, .peersJoin(1, nil)),
          .at(412.649846045, .command(.select(.auto))),
          .at(540.16244861, .clockSlews(to: -0.0004940934644819206)),
          .at(542.191475736, .ownerTakes(.truthful, beatsPerMinute: 101.0, ticksPerBeat: 960.0, lead: 1536)),
          .at(545.537015404, .clientLocates(frame: 0)),
        ], duration: .seconds(550))),
    Case(
      "A roll is put right once more where it was put to another tempo of its owner's",
      History(
        Setup(
          seed: 40001675, rules: .pipewire, period: 2048, rate: SampleRate(hertz: 96000.0) ?? .standard,
          skew: -3.849206319041412e-05, jitter: .milliseconds(0.12727), clockOffset: .milliseconds(249.6),
          clockSkew: -1.8544143712900287e-06, tempo: .bpm(121.7297801763053), meter: Meter("3/4") ?? .common,
          frameAlignment: .exact, mode: .jack, takeover: .follow, discipline: .tempo),
        [
          .at(0.0, .bridgeEnds(for: .milliseconds(603.238004))),
          .at(0.336212309, .clientStarts),
          .at(0.59425799, .ownerTakes(.truthful, beatsPerMinute: 151.0, ticksPerBeat: 1920.0, lead: 6144)),
          .at(7.452626818, .command(.select(.link))),
          .at(169.70295313, .clientStops),
          .at(172.837249536, .ownerChangesTempo(to: 85.0)),
          .at(301.188346352, .clockSlews(to: 0.00047514242216001746)),
          .at(
            303.966213541,
            .peersJoin(
              1,
              .init(
                tempo: .bpm(60.299325853536956), shift: Beats(nanobeats: 4_006_779_715), isPlaying: false,
                tellsPlay: false))),
          .at(305.013119316, .peerStarts(in: .milliseconds(845.189595))),
        ], duration: .seconds(310))),
    Case(
      "A peer's start that an owner contradicts, and that is put off for it, rolls when it is contradicted again",
      History(
        Setup(
          seed: 40034490, rules: .pipewire, period: 2048, skew: 8.030987306065058e-05,
          clockOffset: .milliseconds(249.6), clockSkew: -2.588747319846847e-06,
          tempo: .bpm(103.4202810618505)),
        [
          .at(
            0.0,
            .peersJoin(
              1,
              .init(
                tempo: .bpm(95.52056318924056), shift: Beats(nanobeats: 14_963_089_521), isPlaying: false,
                tellsPlay: false))),
          .at(0.147551424, .ownerTakes(.truthful, beatsPerMinute: 73.0, ticksPerBeat: 1920.0, lead: 6144)),
          .at(4.895386334, .slowClient(needs: 8)),
          .at(141.901371079, .ownerTakes(.truthful, beatsPerMinute: 199.0, ticksPerBeat: 1920000.0, lead: 0)),
          .at(166.775071757, .clientStarts),
          .at(205.918557577, .clientLoops(by: Beats(nanobeats: 16_000_000_000))),
          .at(
            206.803260394,
            .ownerTakes(.liesAboutTempo, beatsPerMinute: 79.0, ticksPerBeat: 1920000.0, lead: 0)),
          .at(206.838630913, .peerStops),
          .at(210.193238867, .peerStarts(in: .milliseconds(548.237227))),
        ], duration: .seconds(225))),
    Case(
      "A stop that a network loses for more than two seconds is done when it is heard",
      History(
        Setup(
          seed: 40054954, rules: .modernPipewire, skew: -2.9759692451954203e-05,
          jitter: .milliseconds(0.128853), clockOffset: .milliseconds(249.6),
          clockSkew: 3.61650386011656e-07, hasLatency: false, tempo: .bpm(97.57350944267638),
          quantum: Quantum(beats: 1.0) ?? Quantum(barOf: .common), mode: .link, takeover: .follow,
          relocation: .roll),
        [
          .at(
            37.236155899,
            .peersJoin(
              1,
              .init(
                tempo: .bpm(89.57871132065894), shift: Beats(nanobeats: 744_798_804), isPlaying: false,
                tellsPlay: false))),
          .at(183.297407687, .peerStops),
          .at(220.095318541, .networkChanges(delay: 3.0, loss: 3)),
          .at(270.451556464, .peerChangesTempo(to: .bpm(139.8369966742101))),
          .at(
            270.947622878,
            .peersJoin(
              2,
              .init(
                tempo: .bpm(621.3238339822716), shift: Beats(nanobeats: 43_865_134), isPlaying: false,
                tellsPlay: false))),
          .at(309.504728595, .clientStarts),
          .at(456.472088754, .peerStops),
        ], duration: .seconds(462))),
    Case(
      "A start on a timebase that another has taken unseen is looked at once more when that shows",
      History(
        Setup(
          seed: 106, rules: .pipewire, period: 1024, skew: -7.31374208379908e-05,
          jitter: .milliseconds(0.263217), clockOffset: .milliseconds(249.6),
          clockSkew: 3.3929884718619265e-06, tempo: .bpm(174.85064840448783), relocation: .roll),
        [
          .at(1.5, .peersJoin(1, nil)),
          .at(4.0, .ownerTakes(.truthful, beatsPerMinute: 174.85064840448783, ticksPerBeat: 1920.0, lead: 0)),
          .at(8.031512906, .clientStarts),
        ], duration: .seconds(10.944858312))),
    Case(
      "Where frames are left alone, a start that the clock would put off by a hair begins in the cycle that was waited for",
      History(
        Setup(
          seed: 24312710, period: 1024, skew: -5.0700701741503406e-05, jitter: .milliseconds(0.271474),
          tempo: .bpm(370.5098833511384), quantum: Quantum(beats: 8), meter: Meter("6/8") ?? .common,
          frameAlignment: .off, mode: .jack),
        [
          .at(0.0, .command(.select(.link))),
          .at(14.728803079, .clientStarts),
          .at(18.044147905, .clientStops),
          .at(53.736328199, .stall(.milliseconds(224.351648), isNoticed: true)),
          .at(53.749211653, .clientStarts),
          .at(55.489338161, .peersJoin(2, nil)),
          .at(63.386177595, .periodChanges(to: 64)),
          .at(68.522783945, .clientStops),
          .at(69.418071388, .peerChangesTempo(to: .bpm(60.574549602984305))),
          .at(69.456692742, .peerStops),
          .at(69.460339898, .peerStops),
          .at(97.661645244, .clientLocates(frame: 0)),
          .at(98.114563628, .remeasured(by: .milliseconds(0.022794))),
          .at(102.960371024, .peerChangesTempo(to: .bpm(96.99477844776023))),
          .at(138.565427644, .command(.start)),
        ], duration: .seconds(139.427409374))),
    Case(
      "Who was not let run as the playhead was put back is asked again when the server is looked after",
      History(
        Setup(
          seed: 25004818, rules: .pipewire, period: 1024, jitter: .milliseconds(0.13901),
          misses: .milliseconds(6044.822937), clockOffset: .milliseconds(249.6),
          clockSkew: 4.289209976340665e-06, tempo: .bpm(113.413617573062), quantum: Quantum(beats: 2),
          meter: Meter("3/4") ?? .common, launch: .now, frameAlignment: .exact, takeover: .follow),
        [
          .at(1.5, .peersJoin(1, nil)),
          .at(473.153457191, .stall(.milliseconds(55.866871), isNoticed: true)),
          .at(565.403502235, .peerStartsOnQuantum(after: .milliseconds(2077.428543))),
          .at(567.79662171, .clientStops),
        ], duration: .seconds(568.092071278))),
    Case(
      "A client's stop that comes with ours, for a start that is put off, is nobody's press",
      History(
        Setup(
          seed: 24300063, rules: .modernPipewire, period: 2048, rate: SampleRate(hertz: 44100.0) ?? .standard,
          clockOffset: .milliseconds(249.6), clockSkew: -3.066178916317596e-06,
          tempo: .bpm(196.6555447030829), meter: Meter("5/4") ?? .common, mode: .link),
        [
          .at(
            0.250641263,
            .peersJoin(
              1,
              .init(
                tempo: .bpm(110.13923434875589), shift: Beats(nanobeats: 13485708298), isPlaying: false,
                tellsPlay: false))),
          .at(30.136474916, .peerChangesTempo(to: .bpm(156.85700392665368))),
          .at(64.820823913, .clientStarts),
          .at(64.858669547, .peerStartsOnQuantum(after: .milliseconds(2497.327241))),
          .at(67.054413531, .peerChangesTempo(to: .bpm(108.08649080994611))),
          .at(67.078542836, .clientStops),
        ], duration: .seconds(77.043809524))),
    Case(
      "Where somebody locates while an owner says nothing, its beat is waited for",
      History(
        Setup(
          seed: 12_200_572, period: 4096, jitter: .milliseconds(0.088326), tempo: .bpm(161.7551512275868),
          quantum: Quantum(beats: 1), meter: Meter("3/4") ?? .common),
        [
          .at(1.5, .peersJoin(1, nil)),
          .at(4, .ownerTakes(.truthful, beatsPerMinute: 161.7551512275868, ticksPerBeat: 1920, lead: 0)),
          .at(71.530859319, .peerStarts(in: .milliseconds(0))),
          .at(109.321694031, .peerStops),
          .at(109.994783268, .clientStarts),
          .at(110.244375935, .clientLocates(frame: 1206)),
        ], duration: .seconds(113))),
    Case(
      "A start that an owner contradicts, and that is put off for it, rolls when it is contradicted again",
      History(
        Setup(
          seed: 24304589, rules: .pipewire, period: 2048, rate: SampleRate(hertz: 44100.0) ?? .standard,
          jitter: .milliseconds(0.213275), clockOffset: .milliseconds(249.6),
          clockSkew: 6.297793740046421e-07, hasLatency: false, tempo: .bpm(110.63497097675928),
          relocation: .roll, discipline: .tempo),
        [
          .at(0.0, .bridgeEnds(for: .milliseconds(2980.576984))),
          .at(
            0.248957677,
            .peersJoin(
              1,
              .init(
                tempo: .bpm(118.0182377516739), shift: Beats(nanobeats: 9_820_860_979), isPlaying: true,
                tellsPlay: true))),
          .at(0.630416579, .ownerTakes(.truthful, beatsPerMinute: 135.0, ticksPerBeat: 960.0, lead: 0)),
          .at(22.318309376, .peerStarts(in: .milliseconds(1626.273394))),
          .at(33.103969059, .peerStops),
          .at(151.570680005, .command(.locate(0))),
          .at(
            181.069908583,
            .ownerTakes(.liesAboutTempo, beatsPerMinute: 137.0, ticksPerBeat: 1920000.0, lead: 0)),
          .at(202.309862722, .ownerChangesTempo(to: 68.0)),
          .at(204.167742784, .slowClient(needs: 18)),
          .at(261.22475445, .clientStarts),
          .at(327.482785557, .peerStops),
          .at(330.704910113, .clientLocates(frame: 81)),
          .at(331.481099644, .ownerChangesTempo(to: 196.0)),
          .at(333.045065116, .clientStarts),
        ], duration: .seconds(350))),
    Case(
      "Ticks that creep past the cycles are no drift that is to be steered",
      History(
        Setup(
          seed: 24210673, period: 1024, rate: SampleRate(hertz: 96000.0) ?? .standard,
          skew: -7.106034326986392e-05, jitter: .milliseconds(0.074514), tempo: .bpm(102.63392872415763),
          quantum: Quantum(beats: 8), discipline: .relocate),
        [
          .at(46.024111608, .clientStarts),
          .at(97.223978003, .freewheel(for: .milliseconds(147.450852))),
          .at(201.236557152, .ownerTakes(.truthful, beatsPerMinute: 154.0, ticksPerBeat: 960.0, lead: 0)),
          .at(201.276386402, .ownerChangesTempo(to: 82.0)),
        ], duration: .seconds(260))),
    Case(
      "A first beat in the middle of two cycles begins in the later one, if that was waited for",
      History(
        Setup(
          seed: 24207849, period: 1024, rate: SampleRate(hertz: 44100.0) ?? .standard,
          jitter: .milliseconds(0.205454), tempo: .bpm(169.1536958672933)),
        [
          .at(1.5, .peersJoin(1, nil)),
          .at(37.89997016, .peerStartsOnQuantum(after: .milliseconds(2674.160345))),
          .at(120.184067952, .peerStops),
          .at(157.795067624, .peerStops),
          .at(157.831156038, .stall(.milliseconds(76.335221), isNoticed: true)),
          .at(161.477285969, .peerStarts(in: .milliseconds(794.634819))),
          .at(161.490994927, .peerStarts(in: .milliseconds(1881.898443))),
          .at(161.529396054, .peerStartsOnQuantum(after: .milliseconds(2391.380809))),
          .at(164.202577676, .peerStartsOnQuantum(after: .milliseconds(3312.255586))),
          .at(234.534732689, .clientStops),
          .at(252.325996352, .peerStartsOnQuantum(after: .milliseconds(3043.198102))),
          .at(256.564026775, .clientStops),
          .at(256.586458447, .clientLocates(frame: 0)),
          .at(256.588220192, .clientStarts),
        ], duration: .seconds(258))),
    Case(
      "A tempo that is read of an owner in the cycle after another has taken the timebase is somebody's",
      History(
        Setup(
          seed: 24202903, period: 4096, skew: -8.153482886139645e-05, jitter: .milliseconds(0.225785),
          tempo: .bpm(77.07881565830448), meter: Meter("3/4") ?? .common, launch: .beat, takeover: .follow,
          relocation: .roll),
        [
          .at(0.749624711, .clientLocates(frame: 96000)),
          .at(100.925637767, .ownerTakes(.truthful, beatsPerMinute: 71.0, ticksPerBeat: 1920.0, lead: 12288)),
          .at(103.362417468, .ownerChangesTempo(to: 93.0)),
          .at(103.440083304, .clientStarts),
          .at(128.495656603, .ownerChangesTempo(to: 142.0)),
          .at(241.078410041, .clientLocates(frame: 0)),
          .at(241.091891185, .ownerTakes(.silent, beatsPerMinute: 124.0, ticksPerBeat: 1920.0, lead: 12288)),
        ], duration: .seconds(243))),
    Case(
      "A start that crosses a stop and rolls alone counts from where it stands",
      History(
        Setup(
          seed: 24108101, rules: .pipewire, jitter: .milliseconds(0.120142),
          clockOffset: .milliseconds(249.6), clockSkew: 6.063556507240575e-07,
          tempo: .bpm(142.82007764651556), meter: Meter("5/4") ?? .common,
          frameAlignment: .exact, mode: .link, relocation: .roll),
        [
          .at(
            242.938706195,
            .peersJoin(
              1,
              .init(
                tempo: .bpm(80.38811381349154), shift: Beats(nanobeats: 6_839_001_764), isPlaying: true,
                tellsPlay: false))),
          .at(275.658752647, .periodChanges(to: 64)),
          .at(275.67402361, .bridgeEnds(for: .milliseconds(1281.101278))),
          .at(310.127485588, .peerStartsOnQuantum(after: .milliseconds(421.159405))),
          .at(352.044570625, .peerStarts(in: .milliseconds(0.0))),
          .at(355.101634195, .peerStarts(in: .milliseconds(1879.405115))),
          .at(435.409716196, .serverDies(for: .milliseconds(4278.327464))),
          .at(463.613679169, .clientStarts),
          .at(463.748753195, .peerStops),
          .at(463.754576761, .clientStarts),
          .at(464.145038598, .peersLeave(100)),
        ], duration: .seconds(468))),
    Case(
      "A tempo that the wire has rounded is nothing that steering has left",
      History(
        Setup(
          seed: 12212325, period: 64, skew: -9.090921542802022e-05, jitter: .milliseconds(0.160399),
          misses: .milliseconds(4853.550275), tempo: .bpm(181.9096879036121), meter: Meter("3/4") ?? .common,
          discipline: .tempo),
        [
          .at(27.625327317, .ownerTakes(.truthful, beatsPerMinute: 192.0, ticksPerBeat: 960.0, lead: 0)),
          .at(32.213606612, .ownerChangesTempo(to: 81.0)),
          .at(
            110.961241217,
            .peersJoin(
              2,
              .init(
                tempo: .bpm(85.48348031742866), shift: Beats(nanobeats: 14_662_629_260), isPlaying: false,
                tellsPlay: false))),
          .at(284.977116848, .clientStarts),
          .at(377.672068019, .ownerReleases),
          .at(421.477843561, .clientStops),
          .at(421.530106475, .ownerTakes(.truthful, beatsPerMinute: 94.0, ticksPerBeat: 960.0, lead: 0)),
        ], duration: .seconds(423))),
    Case(
      "Frames that are realigned as a slow client leaves do not count on its slowness",
      History(
        Setup(
          seed: 12214744, period: 4096, skew: -7.161505732282494e-05, jitter: .milliseconds(0.211774),
          hasLatency: false, tempo: .bpm(129.84624041031412), takeover: .follow, relocation: .roll,
          discipline: .relocate),
        [
          .at(
            134.214352231,
            .peersJoin(
              2,
              .init(
                tempo: .bpm(105.72445036501367), shift: Beats(nanobeats: 6_261_197_856), isPlaying: true,
                tellsPlay: true))),
          .at(137.378928705, .peerChangesTempo(to: .bpm(133.91960359797335))),
          .at(137.459962308, .command(.proposeTempo(.bpm(133.69698914380447)))),
          .at(163.415464667, .slowClient(needs: 10)),
          .at(163.445624064, .clientStarts),
          .at(204.272213537, .freewheel(for: .milliseconds(865.502541))),
          .at(206.420243272, .slowClientsLeave),
        ], duration: .seconds(208))),
    Case(
      "What is located to while JACK waits for others is where it stops",
      History(
        Setup(
          seed: 11_610_071, period: 512, jitter: .milliseconds(0.094912), misses: .milliseconds(4564.525222),
          tempo: .bpm(129.64731608447818), meter: Meter("3/4") ?? .common),
        [
          .at(
            165.455461098,
            .peersJoin(
              2,
              .init(
                tempo: .bpm(68.98946530864737), shift: Beats(nanobeats: 353_598_411), isPlaying: true,
                tellsPlay: true))),
          .at(319.058164589, .slowClient(needs: nil)),
          .at(434.349114723, .peerStarts(in: .milliseconds(0))),
          .at(434.366615555, .ownerTakes(.truthful, beatsPerMinute: 159, ticksPerBeat: 1920, lead: 1536)),
          .at(439.79052949, .clientLocates(frame: 1944)),
          .at(462.446923129, .ownerReleases),
          .at(470.640854841, .clientLocates(frame: 0)),
          .at(485.80249283, .clientStops),
        ], duration: .seconds(486))),
    Case(
      "While a start is corrected, what is read goes on from where it is",
      History(
        Setup(
          seed: 11, skew: -6.696148987593607e-05, jitter: .milliseconds(0.030154),
          tempo: .bpm(194.0115113496734),
          launch: .now, frameAlignment: .exact),
        [
          .at(34.464143876, .periodChanges(to: 2048)),
          .at(129.730363622, .ownerTakes(.garbage, beatsPerMinute: 105, ticksPerBeat: 1920, lead: 0)),
          .at(159.78005106, .stall(.milliseconds(95.801569), isNoticed: true)),
          .at(382.485987443, .peersJoin(2, nil)),
          .at(411.546511204, .clientStarts),
          .at(492.113104596, .ownerReleases),
        ], duration: .seconds(496))),
    Case(
      "A start after a change of mode is not put off for ever",
      History(
        Setup(
          seed: 610, period: 1024, rate: SampleRate(hertz: 44_100) ?? .standard, skew: 50.92312274971778e-6,
          hasLatency: false, tempo: .bpm(163.2337698022967), frameAlignment: .exact, mode: .jack,
          takeover: .yield),
        [
          .at(239.25, .clientStarts),
          .at(290.381, .clientStops),
          .at(
            290.409,
            .peersJoin(
              2,
              .init(
                tempo: .bpm(132.71018528553702), shift: Beats(nanobeats: 10_819_314_950), isPlaying: false,
                tellsPlay: false))),
          .at(320.728, .clientStarts),
          .at(320.753, .command(.select(.auto))),
        ], duration: .seconds(342))),
    Case(
      "A machine that stands still while Link is aligned leaves no distance to a pinned JACK",
      History(
        Setup(
          seed: 26, period: 512, jitter: .milliseconds(0.041650), hasLatency: false,
          tempo: .bpm(276.5040669139842), frameAlignment: .exact, mode: .jack, takeover: .follow),
        [
          .at(393.672, .clientStarts),
          .at(396.351, .ownerTakes(.truthful, beatsPerMinute: 74, ticksPerBeat: 1_920_000, lead: 1536)),
          .at(396.890, .stall(.milliseconds(29.290701), isNoticed: true)),
        ], duration: .seconds(425))),
    Case(
      "A start to which somebody joins comes into phase",
      History(
        Setup(
          seed: 30, period: 1024, jitter: .milliseconds(0.143939), tempo: .bpm(71.44098855277227),
          meter: Meter("6/8") ?? .common, frameAlignment: .off),
        [
          .at(4.235, .serverDies(for: .milliseconds(1972.6))),
          .at(22.829529861, .clientStarts),
          .at(
            22.838,
            .peersJoin(
              1,
              .init(
                tempo: .bpm(147.95489348480626), shift: Beats(nanobeats: 15_093_624_233), isPlaying: true,
                tellsPlay: false))),
        ], duration: .seconds(26))),
    Case(
      "A user's stop is not lost to a relocation in the same cycle",
      History(
        Setup(
          seed: 72, period: 2048, jitter: .milliseconds(0.213814), tempo: .bpm(158.23160359818667),
          launch: .now, frameAlignment: .exact),
        [
          .at(166.754, .periodChanges(to: 1024)),
          .at(254.876, .clientStarts),
          .at(
            268.505,
            .peersJoin(
              2,
              .init(
                tempo: .bpm(254.4324248682252), shift: Beats(nanobeats: 2_851_655_558), isPlaying: false,
                tellsPlay: false))),
          .at(304.696, .clientLocates(frame: 0)),
          .at(304.729, .command(.stop)),
        ], duration: .seconds(324))),
    Case(
      "Alone, the position waits for a slow client as the transport does",
      History(
        Setup(
          seed: 185, rules: .pipewire, period: 64, skew: -29.531740382241733e-6,
          jitter: .milliseconds(0.14694),
          clockOffset: .milliseconds(249.6), tempo: .bpm(97.64957473610202), quantum: Quantum(beats: 8),
          meter: Meter("6/8") ?? .common, frameAlignment: .exact),
        [.at(0.516, .slowClient(needs: nil)), .at(4.224, .clientStarts)], duration: .seconds(12))),
    Case(
      "A relocation that shows before anybody is asked about it is noticed",
      History(
        Setup(
          seed: 49, rules: .pipewire, period: 512, skew: -42.80785746778613e-6,
          jitter: .milliseconds(0.279512),
          clockOffset: .milliseconds(249.6), tempo: .bpm(155.56212373411321), launch: .beat,
          frameAlignment: .exact, mode: .link,
          takeover: .follow),
        [.at(2.093, .clientStarts), .at(25.319, .clientLocates(frame: 467))], duration: .seconds(30))),
    Case(
      "On PipeWire, a start after a change of tempo keeps its bar",
      History(
        Setup(
          seed: 263, rules: .pipewire, period: 1024, skew: -62.66804304246583e-6,
          jitter: .milliseconds(0.065082),
          clockOffset: .milliseconds(249.6), tempo: .bpm(73.86188074506941), frameAlignment: .exact),
        [
          .at(4.744, .clientStarts),
          .at(10.658, .clientStops),
          .at(112.076, .command(.proposeTempo(.bpm(878.2072861931177)))),
          .at(116.928, .clientStarts),
        ], duration: .seconds(120))),
    Case(
      "A start that the server cannot hold for long enough is not tried for ever with a slow client",
      History(
        Setup(
          seed: 447, rules: .pipewire, period: 4096, clockOffset: .milliseconds(249.6),
          tempo: .bpm(74.23620227385487), frameAlignment: .exact, mode: .link),
        [
          .at(1, .slowClient(needs: 18)),
          .at(3, .peersJoin(2, nil)),
          .at(8, .clientStarts),
          .at(30, .clientStops),
          .at(40, .peerStarts(in: .milliseconds(1090))),
        ], duration: .seconds(80))),
    Case(
      "On PipeWire, an owner of the timebase that was there first is found out",
      History(
        Setup(
          seed: 3537, rules: .pipewire, period: 1024, clockOffset: .milliseconds(249.6),
          tempo: .bpm(125.97763896908299), quantum: Quantum(beats: 5), frameAlignment: .exact),
        [
          .at(0, .ownerTakes(.truthful, beatsPerMinute: 181, ticksPerBeat: 1920, lead: 0)),
          .at(1.652, .clientStarts),
        ], duration: .seconds(30))),
    Case(
      "What is read in the first rolling cycle is fresh, however long a cycle is",
      History(
        Setup(
          seed: 2332, period: 2048, jitter: .milliseconds(0.183708), tempo: .bpm(74.38170210128308),
          meter: Meter("6/8") ?? .common, launch: .beat, frameAlignment: .off),
        [
          .at(0, .command(.proposeTempo(.bpm(68.86285617877715)))),
          .at(
            89.948,
            .peersJoin(
              3,
              .init(
                tempo: .bpm(73.43428916220043), shift: Beats(nanobeats: 11_501_539_108), isPlaying: false,
                tellsPlay: false))),
          .at(152.853, .peerStarts(in: .milliseconds(1635.681725))),
          .at(154.874, .peerStops),
          .at(159.820, .peerStarts(in: .milliseconds(1192.360623))),
          .at(159.858, .peerStops),
          .at(159.896, .clientStarts),
        ], duration: .seconds(170))),
    Case(
      "A start that the server will not hold until its clock is steady does not stand still when it rolls",
      History(
        Setup(
          seed: 18, rules: .pipewire, period: 1024, skew: -7.57847039326897e-05,
          jitter: .milliseconds(0.293957),
          clockOffset: .milliseconds(249.6), clockSkew: -3.6784733869481948e-06,
          tempo: .bpm(114.56437849779368),
          meter: Meter("5/4") ?? .common, frameAlignment: .exact, takeover: .follow),
        [.at(0, .peersJoin(2, nil)), .at(0.011448888, .clientStarts)], duration: .seconds(12))),
    Case(
      "A sound card's speed that was learned wrong is learned anew",
      History(
        Setup(
          seed: 12578, rules: .pipewire, period: 512, clockOffset: .milliseconds(249.6),
          clockSkew: -9.981854910596422e-07, tempo: .bpm(121.44421460002349), launch: .beat,
          frameAlignment: .exact, mode: .jack),
        [
          .at(0.040333467, .ownerTakes(.truthful, beatsPerMinute: 136, ticksPerBeat: 1_920_000, lead: 0)),
          .at(4.843094521, .periodChanges(to: 4096)),
          .at(31.218643569, .clientStarts),
        ], duration: .seconds(46))),
    Case(
      "A roll that began late because of a very slow client is not stopped to mend it",
      History(
        Setup(
          seed: 13219, period: 1024, skew: -6.777162970533879e-05, jitter: .milliseconds(0.283502),
          tempo: .bpm(108.57782949299583), launch: .now, startStopSync: false, frameAlignment: .exact,
          takeover: .yield),
        [
          .at(261.629535707, .periodChanges(to: 4096)),
          .at(307.009029547, .peersJoin(2, nil)),
          .at(395.381757205, .slowClient(needs: nil)),
          .at(407.088663472, .clientStarts),
          .at(415.228744042, .periodChanges(to: 1024)),
          .at(416.134674385, .slowClientsLeave),
        ], duration: .seconds(440))),
    Case(
      "Nobody is said to have pressed play where JACK starts alone",
      History(Setup(frameAlignment: .exact), [.at(8, .clientStarts)], duration: .seconds(16))),
    Case(
      "Nor where an owner's tempo changes after the last peer has left",
      History(
        Setup(seed: 7261, period: 512, tempo: .bpm(36.8), frameAlignment: .exact),
        [
          .at(81.031660194, .ownerTakes(.truthful, beatsPerMinute: 67, ticksPerBeat: 1_920, lead: 0)),
          .at(92.762060758, .clientStarts),
          .at(94.686623547, .ownerChangesTempo(to: 91)),
          .at(94.69335878, .peersLeave(100)),
        ], duration: .seconds(98))),
    Case(
      "Who joins within a second of a start alone is told that the session plays",
      History(
        Setup(period: 1024, frameAlignment: .exact),
        [
          .at(10, .command(.start)), .at(10.43, .peersJoin(2, nil)), .at(16, .command(.stop)),
          .at(16.015, .clientStarts),
        ],
        duration: .seconds(30))),
    Case(
      "Who joins while a start is held is told when it rolls",
      History(
        Setup(launch: .beat, frameAlignment: .exact, mode: .jack),
        [
          .at(4, .slowClient(needs: nil)), .at(10, .clientStarts), .at(11.8, .peersJoin(2, nil)),
          .at(15, .slowClientsLeave),
        ], duration: .seconds(30))),
    Case(
      "Bars are kept where the period changes in cycles that were missed",
      History(
        Setup(
          seed: 101_589, skew: 8.027099148710882e-05, misses: .milliseconds(1002.717757),
          tempo: .bpm(984.2842612946619), meter: Meter("3/4") ?? .common, startStopSync: false,
          frameAlignment: .exact, takeover: .yield, relocation: .roll),
        [
          .at(45.807520353, .periodChanges(to: 1024)),
          .at(131.267968248, .freewheel(for: .milliseconds(373.431358))),
          .at(132.021710726, .clientStarts),
          .at(478.573506746, .periodChanges(to: 512)),
        ], duration: .seconds(480))),
    Case(
      "What a session that is joined plays is no press, though Link hides it at first behind a tempo of ours",
      History(
        Setup(period: 1024, launch: .now, frameAlignment: .exact),
        [
          .at(
            20,
            .peersJoin(
              2,
              .init(
                tempo: .bpm(144), shift: Beats(nanobeats: 1_581_528_795), isPlaying: true, tellsPlay: true))),
          .at(27.178, .command(.proposeTempo(.bpm(121)))),
          .at(
            27.214,
            .peersJoin(
              3,
              .init(
                tempo: .bpm(144.6), shift: Beats(nanobeats: 3_441_295_761), isPlaying: true, tellsPlay: true))
          ),
        ], duration: .seconds(34))),
    Case(
      "A peer's press that Link hides from us behind a stop of ours is heard, though somebody joins meanwhile",
      History(
        Setup(period: 1024, frameAlignment: .exact),
        [
          .at(10, .peersJoin(2, nil)),
          .at(30, .peerStarts(in: .zero)),
          .at(40, .clientStops),
          .at(40.04, .peerStarts(in: .zero)),
          .at(40.67, .peersJoin(1, nil)),
        ], duration: .seconds(52))),
    Case(
      "A user who pins JACK has its tempo imposed on who joined just before",
      History(
        Setup(
          seed: 13492, rate: SampleRate(hertz: 96_000) ?? .standard, tempo: .bpm(147.40312543760302),
          meter: Meter("6/8") ?? .common, launch: .now, frameAlignment: .exact),
        [
          .at(279.802647571, .ownerTakes(.truthful, beatsPerMinute: 69, ticksPerBeat: 1_920_000, lead: 0)),
          .at(304.097683971, .clientStarts),
          .at(
            304.362146331,
            .peersJoin(
              1,
              .init(
                tempo: .bpm(455.25247543533516), shift: Beats(nanobeats: 6_925_821_447), isPlaying: false,
                tellsPlay: false))),
          .at(304.371642043, .command(.select(.jack))),
        ], duration: .seconds(332))),
    Case(
      "Peers that come and go between two cycles do not leave their tempo to an owner that leads",
      History(
        Setup(
          seed: 21021, period: 4096, skew: -9.699053431680667e-05, tempo: .bpm(783.2182437636247),
          quantum: Quantum(beats: 3), launch: .beat, startStopSync: false, frameAlignment: .exact),
        [
          .at(119.110434214, .ownerTakes(.truthful, beatsPerMinute: 181, ticksPerBeat: 1_920_000, lead: 0)),
          .at(269.092644777, .clientStarts),
          .at(
            290.859933882,
            .peersJoin(
              1,
              .init(
                tempo: .bpm(90.9908448044986), shift: Beats(nanobeats: 2_683_683_816), isPlaying: false,
                tellsPlay: false))),
          .at(290.897914536, .peersLeave(100)),
        ], duration: .seconds(310))),
    Case(
      "A start with a very slow client is not stopped for microseconds",
      History(
        Setup(
          seed: 24248, jitter: .milliseconds(0.284812), hasLatency: false, tempo: .bpm(273.2165787820005),
          quantum: Quantum(beats: 8), frameAlignment: .exact, mode: .link),
        [
          .at(
            114.765782543,
            .peersJoin(
              2,
              .init(
                tempo: .bpm(121.24518808159802), shift: Beats(nanobeats: 3_920_405_410), isPlaying: true,
                tellsPlay: false))),
          .at(114.786912886, .slowClient(needs: nil)),
          .at(437.458784072, .peerStarts(in: .milliseconds(1007.408489))),
          .at(440.871186596, .periodChanges(to: 128)),
          .at(493.676844087, .clientLocates(frame: 0)),
          .at(493.712462431, .stall(.milliseconds(92.087361), isNoticed: false)),
        ], duration: .seconds(527))),
    Case(
      "A start is not planned anew for microseconds as often as there are attempts",
      History(
        Setup(
          seed: 24385, period: 4096, jitter: .milliseconds(0.226649), hasLatency: false,
          tempo: .bpm(86.89078696985759), frameAlignment: .exact),
        [
          .at(3.288538316, .clientStarts),
          .at(6.663334014, .peersJoin(2, nil)),
          .at(8.525176999, .slowClient(needs: 14)),
          .at(200.369927581, .clientLocates(frame: 0)),
          .at(240.28441658, .slowClientsLeave),
          .at(310.067773334, .command(.proposeTempo(.bpm(541.2329286113767)))),
          .at(334.804511267, .clientStops),
          .at(409.983811632, .freewheel(for: .milliseconds(331.47616))),
          .at(436.390178622, .stall(.milliseconds(257.639845), isNoticed: false)),
          .at(436.439991108, .clientStarts),
        ], duration: .seconds(459))),
    Case(
      "On PipeWire, a start is not planned anew until the server gives up holding it",
      History(
        Setup(
          seed: 26296, rules: .pipewire, period: 1024, clockOffset: .milliseconds(249.6),
          clockSkew: -3.8738075346238504e-06, tempo: .bpm(198.04006350484704), quantum: Quantum(beats: 8),
          meter: Meter("3/4") ?? .common, launch: .beat, frameAlignment: .exact, mode: .link),
        [
          .at(28.249292881, .peersJoin(3, nil)),
          .at(66.61650765, .stall(.milliseconds(57.295639), isNoticed: true)),
          .at(69.884458191, .clientStarts),
          .at(121.611818325, .stall(.milliseconds(0.99159), isNoticed: true)),
          .at(121.630396006, .peerChangesTempo(to: .bpm(157.72870662460568))),
          .at(124.200514319, .clientStops),
          .at(124.236883684, .clientStarts),
          .at(124.296742589, .peerStops),
          .at(124.305861933, .clientStarts),
        ], duration: .seconds(149))),
    Case(
      "A start that somebody joins is not given up for a card that drifts",
      History(
        Setup(
          seed: 29709, period: 64, rate: SampleRate(hertz: 44_100) ?? .standard, skew: -2.425987415840969e-06,
          jitter: .milliseconds(0.213507), hasLatency: false, tempo: .bpm(166.16862237903618),
          quantum: Quantum(beats: 1), frameAlignment: .exact),
        [
          .at(184.197833021, .clientStarts),
          .at(
            184.237725123,
            .peersJoin(
              2,
              .init(
                tempo: .bpm(117.11498935229555), shift: Beats(nanobeats: 13_030_027_814), isPlaying: false,
                tellsPlay: false))),
          .at(187.219191509, .peerStops),
          .at(245.668155355, .slowClient(needs: 12)),
          .at(245.707295699, .periodChanges(to: 1024)),
          .at(246.941445763, .clientStarts),
          .at(248.337715819, .clientLocates(frame: 13_737_508)),
          .at(248.36266026, .stall(.milliseconds(264.337828), isNoticed: false)),
          .at(250.001324097, .slowClientsLeave),
          .at(
            250.049789614,
            .peersJoin(
              2,
              .init(
                tempo: .bpm(175.88035445754102), shift: Beats(nanobeats: 7_858_416_302), isPlaying: false,
                tellsPlay: false))),
        ], duration: .seconds(265))),
    Case(
      "A start just before the count of frames begins again comes into phase",
      History(
        Setup(
          seed: 29777, period: 512, skew: 4.779228156255129e-05, jitter: .milliseconds(0.1383),
          tempo: .bpm(148.572220956607), meter: Meter("5/4") ?? .common, launch: .beat, frameAlignment: .exact
        ),
        [
          .at(91.979322447, .ownerTakes(.truthful, beatsPerMinute: 175, ticksPerBeat: 960, lead: 0)),
          .at(108.030422091, .periodChanges(to: 128)),
          .at(142.784192131, .ownerChangesTempo(to: 161)),
          .at(
            144.974762576,
            .peersJoin(
              2,
              .init(
                tempo: .bpm(115.9985152190052), shift: Beats(nanobeats: 4_414_512_515), isPlaying: false,
                tellsPlay: false))),
          .at(147.647017713, .peerStarts(in: .milliseconds(0))),
          .at(189.641556584, .clientLocates(frame: 4_294_873_691)),
          .at(191.169670679, .clientStops),
          .at(202.429286183, .ownerReleases),
          .at(216.77004517, .clientStarts),
        ], duration: .seconds(217))),
    Case(
      "A correction of a start to the frame where it is anyway is published in phase",
      History(
        Setup(
          seed: 505713, period: 512, jitter: .milliseconds(0.265016), tempo: .bpm(128.31397574438145),
          frameAlignment: .exact, takeover: .retake),
        [
          .at(0.0, .clientStarts),
          .at(39.399669077, .clientLocates(frame: 0)),
          .at(
            41.297128698,
            .peersJoin(
              3,
              .init(
                tempo: .bpm(92.29406118480962), shift: Beats(nanobeats: 13_690_024_471), isPlaying: false,
                tellsPlay: false))),
          .at(46.985532165, .command(.proposeTempo(.bpm(189.01924215885177)))),
          .at(47.0663319, .stall(.milliseconds(137.192146), isNoticed: true)),
          .at(47.091468142, .command(.proposeTempo(.bpm(169.55427008299682)))),
          .at(85.742056834, .peerChangesTempo(to: .bpm(64.41521186699977))),
          .at(181.385243054, .peerChangesTempo(to: .bpm(187.8234084313928))),
          .at(234.819935848, .clientLocates(frame: 635682)),
          .at(234.868831675, .ownerTakes(.silent, beatsPerMinute: 136.0, ticksPerBeat: 1_920_000, lead: 0)),
        ], duration: .seconds(237))),
    Case(
      "A start and a stop in one cycle tell Link nothing",
      History(
        Setup(
          seed: 645846, rules: .pipewire, skew: 3.582189021101612e-06, jitter: .milliseconds(0.207688),
          clockOffset: .milliseconds(249.6), clockSkew: -1.824222908710782e-07, hasLatency: false,
          tempo: .bpm(67.12806020044438), frameAlignment: .exact, mode: .link),
        [
          .at(38.076421043, .periodChanges(to: 4096)),
          .at(49.068724622, .peersJoin(1, nil)),
          .at(49.103104691, .clientStarts),
          .at(85.556258086, .clientStops),
          .at(
            94.57839156,
            .peersJoin(
              1,
              .init(
                tempo: .bpm(117.83744716954452), shift: Beats(nanobeats: 4_412_824_775), isPlaying: true,
                tellsPlay: true))),
          .at(124.487321747, .clientStops),
          .at(151.607467003, .peerStarts(in: .milliseconds(1367.162534))),
          .at(188.398246907, .clientLocates(frame: 16973055)),
          .at(285.438954426, .peerStops),
          .at(310.928320154, .command(.stop)),
          .at(310.950685124, .clientStarts),
        ], duration: .seconds(312))),
    Case(
      "A user's stop counts while a peer's has been undone by a start",
      History(
        Setup(
          seed: 657156, period: 1024, jitter: .milliseconds(0.079434), hasLatency: false,
          tempo: .bpm(626.2786522483403), frameAlignment: .exact),
        [
          .at(
            21.541310147,
            .peersJoin(
              1,
              .init(
                tempo: .bpm(186.51554762519078), shift: Beats(nanobeats: 8_791_236_247), isPlaying: false,
                tellsPlay: false))),
          .at(130.228368744, .stall(.milliseconds(2.755888), isNoticed: true)),
          .at(297.797571166, .clientStarts),
          .at(300.523632389, .peerStops),
          .at(300.538600867, .clientStarts),
          .at(300.837282961, .command(.stop)),
        ], duration: .seconds(320))),
    Case(
      "An owner whose position does not go with frames is not relocated again and again",
      History(
        Setup(
          seed: 662134, skew: 6.407768185908023e-05, tempo: .bpm(185.71481632804665),
          meter: Meter("5/4") ?? .common, launch: .now, frameAlignment: .exact),
        [
          .at(296.059189466, .peersJoin(2, nil)),
          .at(354.445994957, .slowClient(needs: 14)),
          .at(354.475564388, .clientStarts),
          .at(
            378.423184485, .ownerTakes(.liesAboutTempo, beatsPerMinute: 61.0, ticksPerBeat: 1920.0, lead: 768)
          ),
          .at(388.607909058, .command(.select(.jack))),
          .at(397.343435001, .command(.select(.auto))),
          .at(556.238742395, .peerStops),
          .at(558.433161069, .ownerTakes(.truthful, beatsPerMinute: 145.0, ticksPerBeat: 1_920_000, lead: 0)),
          .at(563.631897283, .peerStarts(in: .milliseconds(0))),
        ], duration: .seconds(578))),
    Case(
      "A program that misses cycles after a tempo change finds its bar again",
      History(
        Setup(
          seed: 2018, period: 1024, misses: .milliseconds(2960.752733), tempo: .bpm(173.016866260846),
          quantum: Quantum(beats: 3) ?? Quantum(barOf: .common), frameAlignment: .exact, mode: .link),
        [
          .at(171.116012005, .serverDies(for: .milliseconds(4936.381745))),
          .at(292.788169174, .serverDies(for: .milliseconds(4840.026791))),
          .at(497.966506997, .clientStarts),
          .at(523.81846935, .command(.proposeTempo(.bpm(65.30932127287868)))),
        ], duration: .seconds(540))),
    Case(
      "A deadline that is missed as a roll begins with an owner leaves nobody out of phase",
      History(
        Setup(
          seed: 10108, period: 128, skew: -3.897982086834957e-05, jitter: .milliseconds(0.015438),
          misses: .milliseconds(8180.406228), tempo: .bpm(192.78471088719525),
          meter: Meter("5/4") ?? .common, frameAlignment: .exact),
        [
          .at(1.5, .peersJoin(1, nil)),
          .at(
            4,
            .ownerTakes(.truthful, beatsPerMinute: 192.78471088719525, ticksPerBeat: 1920, lead: 0)),
          .at(9.202523894, .clientLocates(frame: 208_599)),
          .at(9.403651114, .clientStarts),
        ], duration: .seconds(18))),
    Case(
      "A tempo that could not be set yet is forgotten when an owner of the timebase comes",
      History(
        Setup(seed: 15, tempo: .bpm(120), frameAlignment: .exact),
        [
          .at(20, .peersJoin(1, nil)),
          .at(30, .clientStarts),
          .at(40, .command(.proposeTempo(.bpm(100)))),
          .at(40.2, .command(.proposeTempo(.bpm(90)))),
          .at(40.4, .ownerTakes(.truthful, beatsPerMinute: 100, ticksPerBeat: 1920, lead: 0)),
          .at(100, .ownerReleases),
        ], duration: .seconds(130))),
    Case(
      "Beats before and after a missed deadline are on two lines, and make no tempo together",
      History(
        Setup(
          seed: 40190, period: 512, jitter: .milliseconds(0.010919), misses: .milliseconds(1408.11568),
          hasLatency: false, tempo: .bpm(92.80900371081333), meter: Meter("6/8") ?? .common, launch: .now,
          frameAlignment: .exact),
        [
          .at(1.5, .peersJoin(1, nil)),
          .at(
            4,
            .ownerTakes(.truthful, beatsPerMinute: 92.80900371081333, ticksPerBeat: 1920, lead: 0)),
          .at(275.115888028, .clientStarts),
          .at(323.471133894, .clientStops),
          .at(547.034455639, .clientStarts),
        ], duration: .seconds(554))),
    Case(
      "A line of wake-ups stays at the one it begins with, if those after it are later",
      History(
        Setup(
          seed: 10123, period: 4096, jitter: .milliseconds(0.218532), hasLatency: false,
          tempo: .bpm(180.05257535200278), meter: Meter("6/8") ?? .common, launch: .beat,
          frameAlignment: .exact),
        [
          .at(0.046031091, .clientStarts),
          .at(22.039192096, .serverDies(for: .milliseconds(2043.217497))),
          .at(71.696802964, .clientStarts),
          .at(211.062510117, .freewheel(for: .milliseconds(40.331841))),
        ], duration: .seconds(214))),
    Case(
      "A locate while JACK rolls that is stopped before it rolls again leaves bar 1 at frame 0",
      History(
        Setup(seed: 203224, period: 1024, tempo: .bpm(158.08027316271202), frameAlignment: .off),
        [
          .at(1.5, .peersJoin(1, nil)),
          .at(12.04307335, .clientStarts),
          .at(58.379742369, .clientLocates(frame: 0)),
          .at(58.452192568, .clientStops),
        ], duration: .seconds(62))),
    Case(
      "A roll that begins in a cycle that was missed goes on from where it was to begin",
      History(
        Setup(
          seed: 214107, period: 64, skew: 8.879970899750318e-05, misses: .milliseconds(1903.189624),
          hasLatency: false, tempo: .bpm(113.35790680846482), frameAlignment: .exact),
        [
          .at(152.23262423, .clientStarts),
          .at(153.410245079, .clientLocates(frame: 27_815_386)),
        ], duration: .seconds(155))),
    Case(
      "Who has come while a start is held is told when it rolls, whatever has happened meanwhile",
      History(
        Setup(seed: 210692, period: 512, tempo: .bpm(171.82228993293202), frameAlignment: .exact),
        [
          .at(2, .slowClient(needs: nil)),
          .at(10.96734012, .clientStarts),
          .at(14.670329164, .peersJoin(2, nil)),
          .at(17.676381393, .peerChangesTempo(to: .bpm(171.853294570868))),
        ], duration: .seconds(300))),
    Case(
      "Who is to be told in the very cycle in which a roll is put right is told afterwards",
      History(
        Setup(
          seed: 214146, skew: 5.716261737176112e-05, jitter: .milliseconds(0.129705),
          misses: .milliseconds(1473.567125), hasLatency: false, tempo: .bpm(85.32265472907925),
          quantum: Quantum(beats: 3), meter: Meter("5/4") ?? .common, launch: .now,
          frameAlignment: .exact, relocation: .roll),
        [
          .at(32.72963239, .clientStarts),
          .at(56.28302388, .command(.start)),
          .at(58.832992703, .clientStops),
          .at(66.735105704, .clientStarts),
          .at(87.538769393, .ownerTakes(.truthful, beatsPerMinute: 82, ticksPerBeat: 960, lead: 0)),
          .at(91.112438218, .peersJoin(3, nil)),
          .at(91.14512796, .clientLocates(frame: 0)),
        ], duration: .seconds(99))),
    Case(
      "Alone, what was started and stopped at once is nobody's press when the beat is mapped anew",
      History(
        Setup(
          seed: 214084, rules: .pipewire, period: 512, tempo: .bpm(75.45157769248955), launch: .beat,
          frameAlignment: .exact),
        [
          .at(31.542981401, .clientStarts),
          .at(31.562859094, .clientStops),
          .at(31.569956639, .command(.proposeTempo(.bpm(130.45605261727457)))),
        ], duration: .seconds(35))),
    Case(
      "Who comes soon after a peer has changed the tempo has not brought a session along, and is told",
      History(
        Setup(seed: 305086, period: 512, tempo: .bpm(180.14339414173682), frameAlignment: .exact),
        [
          .at(1.5, .peersJoin(1, nil)),
          .at(98.90357198, .peerChangesTempo(to: .bpm(158.58793304417466))),
          .at(98.913973344, .clientStarts),
          .at(98.965777884, .peersLeave(1)),
          .at(99.398003387, .peersJoin(3, nil)),
        ], duration: .seconds(106))),
    Case(
      "A start that crosses a stop, and is stopped before it rolls, rests where the first one began",
      History(
        Setup(
          seed: 306034, period: 512, tempo: .bpm(158.54854095705184), launch: .now, frameAlignment: .exact),
        [
          .at(2, .slowClient(needs: nil)),
          .at(2.1, .peersJoin(3, nil)),
          .at(7.577500942, .peerStartsOnQuantum(after: .milliseconds(2913.421513))),
          .at(11.56650143, .peerStops),
          .at(11.583476853, .clientStarts),
          .at(14.577203714, .clientStops),
        ], duration: .seconds(18))),
    Case(
      "A locate in the cycle in which a roll is put right counts",
      History(
        Setup(
          seed: 305109, rules: .pipewire, jitter: .milliseconds(0.068144), misses: .milliseconds(3852.294289),
          clockOffset: .milliseconds(249.6), clockSkew: 3.893950350281534e-06,
          tempo: .bpm(65.01534904031926), quantum: Quantum(beats: 4), meter: Meter("3/4") ?? .common,
          launch: .now, startStopSync: false, frameAlignment: .exact, mode: .link),
        [
          .at(1.5, .peersJoin(1, nil)),
          .at(62.253834052, .clientLocates(frame: 9_500_023)),
          .at(98.409376692, .clientStarts),
          .at(98.440579778, .clientLocates(frame: 0)),
        ], duration: .seconds(100))),
    Case(
      "What was aimed at while another owned the timebase, and nobody has read, is not where it rests",
      History(
        Setup(
          seed: 309767, rules: .pipewire, period: 4096, clockOffset: .milliseconds(249.6), hasLatency: false,
          tempo: .bpm(138.2676446798067), meter: Meter("3/4") ?? .common, frameAlignment: .exact,
          relocation: .roll),
        [
          .at(8.136304423, .ownerTakes(.truthful, beatsPerMinute: 96, ticksPerBeat: 1920000, lead: 0)),
          .at(19.391808578, .clientStarts),
          .at(51.662077587, .clientLocates(frame: 0)),
          .at(51.708579937, .peersJoin(3, nil)),
          .at(51.742596978, .clientStops),
          .at(86.045602402, .ownerReleases),
          .at(99.030482886, .peerStarts(in: .milliseconds(759.612404))),
          .at(99.262782595, .clientStops),
        ], duration: .seconds(103))),
    Case(
      "A press of ours that Link has mapped to another time is not a peer's, however far ahead that is",
      History(
        Setup(
          seed: 611335, period: 4096, skew: 1.2652287396074002e-05, jitter: .milliseconds(0.130039),
          misses: .milliseconds(4748.48609), tempo: .bpm(135.36837118007378), launch: .now,
          frameAlignment: .exact, relocation: .roll),
        [
          .at(
            0.155507126,
            .peersJoin(
              1,
              .init(
                tempo: .bpm(156.14590273151234), shift: Beats(nanobeats: 6499124484), isPlaying: false,
                tellsPlay: false))),
          .at(0.698759659, .ownerTakes(.truthful, beatsPerMinute: 74, ticksPerBeat: 960, lead: 0)),
          .at(13.005407926, .peerChangesTempo(to: .bpm(164.22203914506005))),
          .at(172.634772441, .ownerChangesTempo(to: 71)),
          .at(174.752949131, .clientStarts),
          .at(176.467089756, .serverDies(for: .milliseconds(4613.945876))),
          .at(181.885533728, .clientStarts),
          .at(182.607473486, .clientLocates(frame: 443903)),
        ], duration: .seconds(203))),
    Case(
      "A start that was wanted before we had the timebase rests, taken back, where it was to begin",
      History(
        Setup(
          seed: 612139, rules: .pipewire, period: 1024, skew: 1.9934191732109643e-05,
          jitter: .milliseconds(0.057646), misses: .milliseconds(9285.404455),
          clockOffset: .milliseconds(249.6), clockSkew: 1.7604539253096752e-06, hasLatency: false,
          tempo: .bpm(814.6971363395658), quantum: Quantum(beats: 3), frameAlignment: .exact,
          mode: .link, relocation: .roll),
        [
          .at(115.912939555, .clientStarts),
          .at(218.348360586, .ownerTakes(.truthful, beatsPerMinute: 115, ticksPerBeat: 1920, lead: 0)),
          .at(226.038061966, .peersJoin(1, nil)),
          .at(272.554525025, .command(.proposeTempo(.bpm(91.7463458195013)))),
          .at(323.828420637, .slowClient(needs: nil)),
          .at(357.395927702, .clientLocates(frame: 0)),
          .at(357.899234625, .ownerReleases),
          .at(361.369601164, .clientStops),
        ], duration: .seconds(363))),
    Case(
      "A tempo that was measured, and is then declared, is left as it is declared",
      History(
        Setup(
          seed: 612909, jitter: .milliseconds(0.088148), misses: .milliseconds(1147.824822),
          tempo: .bpm(829.3363926631374), meter: Meter("5/4") ?? .common, frameAlignment: .exact,
          relocation: .roll),
        [
          .at(416.385656246, .ownerTakes(.liesAboutTempo, beatsPerMinute: 90, ticksPerBeat: 960, lead: 0)),
          .at(476.798041856, .command(.start)),
          .at(
            486.797559993,
            .peersJoin(
              1,
              .init(
                tempo: .bpm(107.46236578398273), shift: Beats(nanobeats: 5399656982), isPlaying: true,
                tellsPlay: false))),
          .at(542.088568746, .peerStops),
          .at(592.849571568, .ownerTakes(.truthful, beatsPerMinute: 90, ticksPerBeat: 1920000, lead: 768)),
          .at(592.88137027, .peersLeave(1)),
        ], duration: .seconds(598))),
    Case(
      "A tempo that an owner has only just declared when it stops does not make its word doubtful",
      History(
        Setup(
          seed: 501771, skew: -3.918800631778348e-05, misses: .milliseconds(7736.562169),
          tempo: .bpm(70.30494771069515), quantum: Quantum(beats: 3), meter: Meter("5/4") ?? .common,
          frameAlignment: .exact, relocation: .roll),
        [
          .at(7.052574564, .freewheel(for: .milliseconds(289.594011))),
          .at(156.248179992, .periodChanges(to: 64)),
          .at(157.92821873, .command(.start)),
          .at(163.558724536, .bridgeEnds(for: .milliseconds(4338.644803))),
          .at(177.287342848, .stall(.milliseconds(46.084722), isNoticed: true)),
          .at(205.13218553, .command(.foundSession(.bpm(185.35566663165505)))),
          .at(210.797976561, .stall(.milliseconds(254.484236), isNoticed: true)),
          .at(
            249.681130179,
            .peersJoin(
              1,
              .init(
                tempo: .bpm(176.47422152809028), shift: Beats(nanobeats: 484357912), isPlaying: false,
                tellsPlay: false))),
          .at(292.705020758, .clientLocates(frame: 15240875)),
          .at(294.643135784, .peerStops),
          .at(338.084406565, .clientStarts),
          .at(360.355400472, .clientStops),
          .at(369.842793956, .clientStarts),
          .at(395.736368887, .clientStops),
          .at(
            395.776381397,
            .peersJoin(
              1,
              .init(
                tempo: .bpm(124.62249768409859), shift: Beats(nanobeats: 13843425180), isPlaying: false,
                tellsPlay: false))),
          .at(396.604165122, .clientStarts),
          .at(397.366631109, .peerStops),
          .at(399.868786948, .peerChangesTempo(to: .bpm(178.56770841083667))),
          .at(406.61908182, .ownerTakes(.truthful, beatsPerMinute: 149, ticksPerBeat: 960, lead: 0)),
          .at(409.769157093, .ownerChangesTempo(to: 123)),
          .at(409.775580923, .peerStarts(in: .milliseconds(1991.081071))),
          .at(411.975910371, .peerStops),
        ], duration: .seconds(438))),
    Case(
      "What an owner says before a roll is no measure of its tempo",
      History(
        Setup(
          seed: 504075, period: 128, rate: SampleRate(hertz: 96_000) ?? .standard,
          skew: 5.054946340842228e-05, jitter: .milliseconds(0.261746), misses: .milliseconds(6530.484346),
          hasLatency: false, tempo: .bpm(145.80695644989223), meter: Meter("6/8") ?? .common,
          frameAlignment: .exact),
        [
          .at(87.436957982, .periodChanges(to: 4096)),
          .at(126.286694297, .ownerTakes(.liesAboutTempo, beatsPerMinute: 64, ticksPerBeat: 960, lead: 384)),
          .at(126.3082117, .clientStarts),
          .at(
            126.334811262,
            .peersJoin(
              2,
              .init(
                tempo: .bpm(101.55033511610588), shift: Beats(nanobeats: 7456020015), isPlaying: true,
                tellsPlay: false))),
          .at(195.620884974, .peerStops),
          .at(198.034049209, .peerStarts(in: .milliseconds(1467.320619))),
        ], duration: .seconds(201))),
    Case(
      "A tempo that a peer has put back already is not set once more",
      History(
        Setup(
          seed: 620817, skew: 9.193651371387562e-05, jitter: .milliseconds(0.160836),
          misses: .milliseconds(3251.289597), tempo: .bpm(190.8311970840993), launch: .now,
          frameAlignment: .exact, mode: .jack,
          relocation: .roll),
        [
          .at(156.322334744, .ownerTakes(.truthful, beatsPerMinute: 144, ticksPerBeat: 1920000, lead: 0)),
          .at(
            190.364823347,
            .peersJoin(
              3,
              .init(
                tempo: .bpm(77.62840060912418), shift: Beats(nanobeats: 8117684001), isPlaying: true,
                tellsPlay: true))),
          .at(192.285713297, .clientStarts),
          .at(193.79945495, .peerRepeats(after: .milliseconds(691.938719))),
          .at(194.0284098, .ownerTakes(.silent, beatsPerMinute: 61, ticksPerBeat: 960, lead: 0)),
        ], duration: .seconds(196))),
    Case(
      "The tempo that an owner comes with is no change of what we had declared ourselves",
      History(
        Setup(
          seed: 402393, period: 512, skew: -4.28958845939031e-05, jitter: .milliseconds(0.02854),
          misses: .milliseconds(3955.139529), hasLatency: false, tempo: .bpm(89.4054537326777),
          meter: Meter("6/8") ?? .common, frameAlignment: .exact, mode: .link, relocation: .roll),
        [
          .at(275.215499542, .command(.select(.jack))),
          .at(314.5848352, .peersJoin(1, nil)),
          .at(565.455016146, .ownerTakes(.truthful, beatsPerMinute: 93, ticksPerBeat: 1920, lead: 0)),
          .at(565.490228883, .command(.select(.auto))),
          .at(573.536900486, .clientStarts),
        ], duration: .seconds(577))),
    Case(
      "A locate to the very frame that rolls, stopped before it rolls on, rests there",
      History(
        Setup(
          seed: 705726, period: 4096, skew: -9.613175311938594e-05, misses: .milliseconds(8175.787146),
          tempo: .bpm(154.7416716742791), frameAlignment: .off, mode: .link, relocation: .roll),
        [
          .at(1.5, .peersJoin(1, nil)),
          .at(366.597226686, .clientStarts),
          .at(367.349299545, .clientLocates(frame: 0)),
          .at(367.36440169, .peerStops),
        ], duration: .seconds(370))),
    Case(
      "A press that was lost on its way again and again counts, though others come before it",
      History(
        Setup(
          seed: 710385, misses: .milliseconds(7114.266365), hasLatency: false, tempo: .bpm(147.7828872342679),
          launch: .now, frameAlignment: .exact, mode: .link),
        [
          .at(167.091765907, .command(.select(.auto))),
          .at(171.399743227, .networkChanges(delay: 3, loss: 3)),
          .at(171.432157344, .peersJoin(2, nil)),
          .at(171.472357414, .clientLocates(frame: 4291385419)),
          .at(175.420164743, .remeasured(by: .milliseconds(0.081124))),
          .at(178.811667626, .ownerTakes(.truthful, beatsPerMinute: 128, ticksPerBeat: 1920, lead: 0)),
          .at(201.788349759, .ownerChangesTempo(to: 67)),
          .at(224.523301779, .clientStarts),
          .at(260.682047019, .clientLocates(frame: 27373558)),
          .at(260.723009027, .peerChangesTempo(to: .bpm(196.52543039069255))),
          .at(260.734510091, .peerStops),
          .at(260.769146755, .peerStops),
          .at(261.341354285, .peersJoin(2, nil)),
        ], duration: .seconds(267))),
    Case(
      "A start that begins as the playhead is on its way back rests, taken back, where that was going",
      History(
        Setup(
          seed: 761034, rate: SampleRate(hertz: 44_100) ?? .standard, skew: -7.159062851672515e-06,
          jitter: .milliseconds(0.134709), misses: .milliseconds(1732.596834),
          tempo: .bpm(199.46278024520623), quantum: Quantum(beats: 4), meter: Meter("5/4") ?? .common,
          frameAlignment: .exact, relocation: .roll),
        [
          .at(1.5, .peersJoin(1, nil)),
          .at(236.240116774, .peerStartsOnQuantum(after: .milliseconds(2005.508475))),
          .at(239.274091015, .peerStops),
          .at(239.309778462, .clientStarts),
          .at(240.333698248, .peerStops),
        ], duration: .seconds(242))),
    Case(
      "A card that seemed slow for a while, in long cycles, does not stay so",
      History(
        Setup(
          seed: 765110, period: 4096, skew: 3.7260924257904836e-05, jitter: .milliseconds(0.167068),
          misses: .milliseconds(4273.46194), tempo: .bpm(103.50288255527917), meter: Meter("6/8") ?? .common,
          startStopSync: false, frameAlignment: .exact, takeover: .follow, relocation: .roll),
        [
          .at(1.5, .peersJoin(1, nil)),
          .at(43.162333464, .peerStartsOnQuantum(after: .milliseconds(3718.303195))),
          .at(43.982943519, .peerStops),
          .at(47.470953968, .peerStartsOnQuantum(after: .milliseconds(3216.43939))),
          .at(47.578323582, .peerStops),
          .at(90.555426453, .peerStarts(in: .milliseconds(1502.491436))),
          .at(97.115889477, .peerStops),
          .at(162.844741046, .peerStartsOnQuantum(after: .milliseconds(3896.030383))),
          .at(169.455654966, .peerStops),
          .at(172.66018008, .peerStartsOnQuantum(after: .milliseconds(2962.685165))),
          .at(174.911164714, .stall(.milliseconds(85.90568), isNoticed: true)),
          .at(192.940368928, .clientStarts),
        ], duration: .seconds(206))),
    Case(
      "A start that is typed while another is asked for, and a client's stop has undone that, counts",
      History(
        Setup(
          seed: 1117535, rules: .pipewire, period: 2048, rate: SampleRate(hertz: 96_000) ?? .standard,
          skew: -8.49637113692369e-05, clockOffset: .milliseconds(249.6), clockSkew: 1.2358901012104863e-06,
          tempo: .bpm(196.8917357975428), meter: Meter("3/4") ?? .common, frameAlignment: .exact,
          takeover: .retake),
        [
          .at(0.014429323, .peersJoin(3, nil)),
          .at(2.491937178, .stall(.milliseconds(203.470415), isNoticed: true)),
          .at(234.680796877, .stall(.milliseconds(170.739694), isNoticed: false)),
          .at(348.390769808, .peerStarts(in: .milliseconds(0))),
          .at(348.394426008, .clientStops),
          .at(348.649478488, .command(.start)),
        ], duration: .seconds(354))),
    Case(
      "An owner whose beats do not go with its frames does not hold a start for bars, in long cycles",
      History(
        Setup(
          seed: 1324537, period: 4096, rate: SampleRate(hertz: 44100) ?? .standard,
          misses: .milliseconds(1064.928707), tempo: .bpm(183.90128179193408), quantum: Quantum(beats: 8),
          meter: Meter("6/8") ?? .common, frameAlignment: .exact, relocation: .roll),
        [
          .at(149.402520695, .peersJoin(1, nil)),
          .at(151.923341075, .clientStarts),
          .at(181.922316201, .ownerTakes(.truthful, beatsPerMinute: 151, ticksPerBeat: 960, lead: 0)),
          .at(236.730464406, .ownerTakes(.liesAboutTempo, beatsPerMinute: 97, ticksPerBeat: 960, lead: 0)),
          .at(281.839301347, .clientStops),
          .at(282.528390608, .ownerTakes(.truthful, beatsPerMinute: 137, ticksPerBeat: 1920, lead: 0)),
          .at(282.903183986, .command(.start)),
        ], duration: .seconds(309))),
    Case(
      "A start that a slow client holds for many bars goes on in the bar that was read",
      History(
        Setup(
          seed: 1509374, period: 4096, skew: -3.0488335138209102e-05, jitter: .milliseconds(0.215903),
          misses: .milliseconds(827.743206), tempo: .bpm(82.1439572851422), launch: .beat,
          frameAlignment: .exact),
        [
          .at(20.215374979, .peersJoin(1, nil)),
          .at(20.225335125, .freewheel(for: .milliseconds(211.977105))),
          .at(24.843997796, .freewheel(for: .milliseconds(467.646666))),
          .at(53.297427605, .ownerTakes(.truthful, beatsPerMinute: 142, ticksPerBeat: 1920, lead: 0)),
          .at(336.816339718, .ownerChangesTempo(to: 174)),
          .at(358.019154553, .slowClient(needs: nil)),
          .at(417.431200713, .peerStarts(in: .milliseconds(0))),
          .at(464.694024351, .ownerReleases),
          .at(465.547216032, .command(.select(.jack))),
          .at(465.551947796, .peerStops),
          .at(465.565965304, .clientStarts),
        ], duration: .seconds(477))),
    Case(
      "Who takes the timebase while JACK rolls alone goes on where it is",
      History(
        Setup(
          seed: 2209720, period: 1024, jitter: .milliseconds(0.206517), hasLatency: false,
          tempo: .bpm(122.24714705720555), meter: Meter("3/4") ?? .common, relocation: .roll),
        [
          .at(0, .ownerTakes(.truthful, beatsPerMinute: 178, ticksPerBeat: 1920, lead: 0)),
          .at(34.653949671, .clientLocates(frame: 1742)),
          .at(86.607861326, .clientStarts),
          .at(148.642778748, .slowClient(needs: 10)),
          .at(271.631697165, .ownerReleases),
        ], duration: .seconds(274))),
    Case(
      "A locate to frame 0 from some frames after it, while a start is held, is where it starts",
      History(
        Setup(
          seed: 2301223, period: 1024, jitter: .milliseconds(0.156058), tempo: .bpm(142.00746485906942),
          quantum: Quantum(beats: 4), meter: Meter("6/8") ?? .common),
        [
          .at(1.5, .peersJoin(1, nil)),
          .at(12, .clientLocates(frame: 924)),
          .at(27.85528502, .peerStartsOnQuantum(after: .milliseconds(3283.017161))),
          .at(27.87109588, .clientLocates(frame: 0)),
        ], duration: .seconds(34))),
    Case(
      "What is rendered goes on from where it was, also where the first cycles of a render are missed",
      History(
        Setup(
          seed: 2305471, period: 128, rate: SampleRate(hertz: 96_000) ?? .standard,
          skew: 5.968502097786683e-05, jitter: .milliseconds(0.165954), misses: .milliseconds(5423.920353),
          tempo: .bpm(126.68945669226497), startStopSync: false, takeover: .retake),
        [
          .at(
            146.827779406,
            .peersJoin(
              2,
              .init(
                tempo: .bpm(137.153202412982), shift: Beats(nanobeats: 258678819), isPlaying: true,
                tellsPlay: false))),
          .at(150.78089777, .peerStops),
          .at(
            150.84737665,
            .peersJoin(
              3,
              .init(
                tempo: .bpm(168.69427817124156), shift: Beats(nanobeats: 3793035329), isPlaying: true,
                tellsPlay: false))),
          .at(258.74345081, .clientLocates(frame: 12373150)),
          .at(262.462804325, .stall(.milliseconds(168.845188), isNoticed: true)),
          .at(307.427733341, .clientStarts),
          .at(307.454529543, .peerChangesTempo(to: .bpm(144.6417465008751))),
          .at(349.278199017, .freewheel(for: .milliseconds(903.954973))),
        ], duration: .seconds(352))),
    Case(
      "What alone waits while JACK renders rests where it did, if it is taken back",
      History(
        Setup(
          seed: 2402701, period: 4096, jitter: .milliseconds(0.12265), hasLatency: false,
          tempo: .bpm(165.7907389293234), meter: Meter("5/4") ?? .common, takeover: .follow),
        [
          .at(0, .slowClient(needs: nil)),
          .at(49.119752972, .clientStarts),
          .at(51.667350205, .freewheel(for: .milliseconds(494.061717))),
          .at(66.001898184, .clientStops),
        ], duration: .seconds(70))),
    Case(
      "A tempo that a peer sets while JACK renders stays when Link leads again",
      History(
        Setup(
          seed: 2013435, period: 1024, tempo: .bpm(817.5723551534311), mode: .jack, takeover: .retake),
        [
          .at(
            220.785134076,
            .peersJoin(
              2,
              .init(
                tempo: .bpm(532.9259410583909), shift: Beats(nanobeats: 4006162369), isPlaying: true,
                tellsPlay: true))),
          .at(237.007900331, .peerStarts(in: .milliseconds(0))),
          .at(274.243717619, .ownerTakes(.truthful, beatsPerMinute: 121, ticksPerBeat: 960, lead: 0)),
          .at(314.381184508, .ownerChangesTempo(to: 73)),
          .at(362.871489982, .freewheel(for: .milliseconds(951.124373))),
          .at(362.920612438, .command(.select(.link))),
          .at(362.986612348, .peerChangesTempo(to: .bpm(110.95023327286546))),
        ], duration: .seconds(366))),
    Case(
      "An owner that follows another within a start is not measured with it",
      History(
        Setup(
          seed: 2013547, period: 128, skew: 4.9940298162330125e-05, tempo: .bpm(108.68620119989566),
          frameAlignment: .exact, relocation: .roll),
        [
          .at(397.645017664, .ownerTakes(.truthful, beatsPerMinute: 134, ticksPerBeat: 1920, lead: 0)),
          .at(403.235555321, .clientStarts),
          .at(404.979482046, .clientLocates(frame: 0)),
          .at(405.016597606, .ownerTakes(.truthful, beatsPerMinute: 129, ticksPerBeat: 960, lead: 0)),
        ], duration: .seconds(408))),
    Case(
      "A peer's stop asks JACK once more, where a client has undone the one before",
      History(
        Setup(
          seed: 2501645, period: 128, skew: 7.822718173422943e-05, jitter: .milliseconds(0.207298),
          misses: .milliseconds(7132.328114), tempo: .bpm(81.62887703153868), frameAlignment: .exact),
        [
          .at(1.5, .peersJoin(1, nil)),
          .at(35.212313353, .peerStartsOnQuantum(after: .milliseconds(2988.056542))),
          .at(35.223355886, .clientStops),
          .at(35.284024499, .peerStarts(in: .milliseconds(86.983529))),
          .at(39.078448181, .peerStops),
          .at(39.084151995, .clientStarts),
          .at(39.17400929, .peerStartsOnQuantum(after: .milliseconds(1718.483016))),
          .at(39.203287246, .peerStops),
        ], duration: .seconds(50))),
    Case(
      "A start is not planned by what an owner says of the frame before",
      History(
        Setup(
          seed: 2502970, period: 2048, jitter: .milliseconds(0.272656), misses: .milliseconds(740.832244),
          tempo: .bpm(153.02257848145493)),
        [
          .at(1.5, .peersJoin(1, nil)),
          .at(4, .ownerTakes(.truthful, beatsPerMinute: 153.02257848145493, ticksPerBeat: 1920, lead: 0)),
          .at(8, .clientStarts),
          .at(42.606287863, .clientStops),
          .at(45.459128953, .peerStarts(in: .milliseconds(0))),
        ], duration: .seconds(52))),
    Case(
      "A render whose last cycles are missed rolls on",
      History(
        Setup(
          seed: 2404712, period: 128, skew: -8.55311248098748e-05, misses: .milliseconds(420.72727),
          tempo: .bpm(182.6395061427754), quantum: Quantum(beats: 8), meter: Meter("6/8") ?? .common,
          startStopSync: false, frameAlignment: .off, mode: .jack, relocation: .roll),
        [
          .at(0, .clientStarts),
          .at(
            63.168507071,
            .peersJoin(
              2,
              .init(
                tempo: .bpm(99.46421940480612), shift: Beats(nanobeats: 15475790567), isPlaying: false,
                tellsPlay: false))),
          .at(102.318336805, .peerChangesTempo(to: .bpm(148.13498059431754))),
          .at(149.83812165, .command(.select(.link))),
          .at(155.424156738, .peerStops),
          .at(167.776087484, .freewheel(for: .milliseconds(875.384564))),
        ], duration: .seconds(171))),
    Case(
      "An owner that lies, and one that does not, after Link has taken the lead",
      History(
        Setup(
          seed: 1515544, period: 2048, jitter: .milliseconds(0.048375), misses: .milliseconds(6136.268825),
          tempo: .bpm(95.05658243069188), meter: Meter("6/8") ?? .common, launch: .now, frameAlignment: .off,
          mode: .link, relocation: .roll),
        [
          .at(354.731247345, .command(.select(.jack))),
          .at(394.130982993, .clientStarts),
          .at(410.844142146, .ownerTakes(.liesAboutTempo, beatsPerMinute: 154, ticksPerBeat: 1920, lead: 0)),
          .at(415.095647301, .clientLocates(frame: 6592165)),
          .at(438.201537854, .command(.select(.link))),
          .at(439.845187479, .ownerTakes(.truthful, beatsPerMinute: 154, ticksPerBeat: 1920, lead: 0)),
          .at(439.88256976, .clientStops),
          .at(455.407388635, .peersJoin(3, nil)),
        ], duration: .seconds(462))),
    Case(
      "An owner's new tempo, and a new period with it",
      History(
        Setup(
          seed: 1515593, rules: .pipewire, period: 512, skew: -1.622129583444527e-05,
          clockOffset: .milliseconds(249.6), clockSkew: 3.054498866829696e-06, tempo: .bpm(194.743863134013),
          meter: Meter("3/4") ?? .common, frameAlignment: .exact, mode: .jack, takeover: .yield,
          relocation: .roll),
        [
          .at(
            0,
            .peersJoin(
              2,
              .init(
                tempo: .bpm(94.74751366732885), shift: Beats(nanobeats: 7850894221), isPlaying: true,
                tellsPlay: true))),
          .at(62.88893156, .peerStops),
          .at(119.805905362, .clientStarts),
          .at(162.098778871, .clientLocates(frame: 0)),
          .at(170.318053718, .clientStops),
          .at(251.082285653, .periodChanges(to: 64)),
          .at(261.153864668, .ownerTakes(.truthful, beatsPerMinute: 171, ticksPerBeat: 960, lead: 0)),
          .at(293.070876117, .peerStarts(in: .milliseconds(0))),
          .at(299.483559325, .ownerChangesTempo(to: 66)),
          .at(299.518103484, .periodChanges(to: 128)),
        ], duration: .seconds(302))),
    Case(
      "A third stop is obeyed, too",
      History(
        Setup(
          seed: 1517037, period: 1024, skew: -9.611769802919037e-05, jitter: .milliseconds(0.248351),
          tempo: .bpm(129.57591961109947), meter: Meter("5/4") ?? .common, frameAlignment: .exact),
        [
          .at(494.894513915, .clientStarts),
          .at(
            500.242731656,
            .peersJoin(
              3,
              .init(
                tempo: .bpm(164.73107651758505), shift: Beats(nanobeats: 7352858811), isPlaying: true,
                tellsPlay: false))),
          .at(502.505613898, .peerStops),
          .at(502.521153135, .clientStarts),
          .at(502.531437389, .peerStops),
          .at(502.980248299, .peerStops),
        ], duration: .seconds(511))),
    Case(
      "A tempo that is declared is not given up for what a restless clock makes of it",
      History(
        Setup(
          seed: 3107045, jitter: .milliseconds(0.220363), misses: .milliseconds(360.478699),
          hasLatency: false, tempo: .bpm(86.45346282140876), quantum: Quantum(beats: 4),
          meter: Meter("5/4") ?? .common, launch: .beat),
        [
          .at(0, .command(.foundSession(.bpm(119.72750020952313)))),
          .at(6.306413822, .clientLocates(frame: 4287251358)),
          .at(8.752776693, .bridgeEnds(for: .milliseconds(871.326662))),
          .at(37.278284646, .clientStarts),
          .at(
            72.524461081,
            .peersJoin(
              3,
              .init(
                tempo: .bpm(90.02237055908394), shift: Beats(nanobeats: 4585631819), isPlaying: true,
                tellsPlay: true))),
          .at(73.071377155, .clientStops),
          .at(76.810372719, .peerStops),
          .at(76.852225294, .peerStarts(in: .milliseconds(890.375295))),
          .at(84.386588025, .peerStartsOnQuantum(after: .milliseconds(880.969365))),
          .at(87.629900604, .clientStops),
          .at(199.307669202, .periodChanges(to: 512)),
          .at(232.816918512, .ownerTakes(.truthful, beatsPerMinute: 169, ticksPerBeat: 1920000, lead: 768)),
          .at(249.505419154, .clientStarts),
          .at(265.597130342, .clientStops),
          .at(
            321.173108651,
            .peersJoin(
              3,
              .init(
                tempo: .bpm(178.75230888398974), shift: Beats(nanobeats: 3336430760), isPlaying: true,
                tellsPlay: true))),
          .at(343.294873164, .clientStarts),
          .at(375.565987872, .ownerChangesTempo(to: 157)),
          .at(401.876258897, .clientStops),
          .at(434.744856281, .clientStarts),
          .at(565.542261161, .clientLocates(frame: 0)),
          .at(569.125116126, .clientStops),
        ], duration: .seconds(576))),
    Case(
      "A start keeps its bar where the clock finds some microseconds in the last cycles",
      History(
        Setup(
          seed: 3111091, period: 4096, jitter: .milliseconds(0.29419), tempo: .bpm(127.35392504796998),
          quantum: Quantum(beats: 2), meter: Meter("3/4") ?? .common, frameAlignment: .exact, mode: .link
        ),
        [
          .at(1.5, .peersJoin(1, nil)),
          .at(193.665711181, .peerStartsOnQuantum(after: .milliseconds(1354.367671))),
        ], duration: .seconds(198))),
    Case(
      "Who joins while an owner is steered is told that the session plays",
      History(
        Setup(
          seed: 3120538, period: 64, rate: SampleRate(hertz: 44100) ?? .standard,
          skew: 1.3343414712483593e-05, jitter: .milliseconds(0.09258), tempo: .bpm(109.4794616529939),
          meter: Meter("5/4") ?? .common, launch: .beat),
        [
          .at(0.216059409, .ownerTakes(.truthful, beatsPerMinute: 105, ticksPerBeat: 960, lead: 0)),
          .at(74.166165077, .clientStarts),
          .at(74.265662182, .clientLocates(frame: 4286492576)),
          .at(74.320542382, .peersJoin(3, nil)),
          .at(75.092898927, .ownerChangesTempo(to: 144)),
          .at(76.952921633, .peerRepeats(after: .milliseconds(486.570177))),
          .at(76.974518688, .ownerChangesTempo(to: 135)),
          .at(77.023780812, .clientLocates(frame: 5200689)),
        ], duration: .seconds(86))),
    Case(
      "A render begins where the music is, also in a cycle that is read torn",
      History(
        Setup(
          seed: 6001867, skew: 1.3740754213250851e-05, jitter: .milliseconds(0.178158),
          misses: .milliseconds(9813.509179), hasLatency: false, tempo: .bpm(84.50251958345892),
          meter: Meter("5/4") ?? .common, launch: .now, startStopSync: false, takeover: .retake,
          relocation: .roll),
        [
          .at(0, .serverDies(for: .milliseconds(3839.666419))),
          .at(2.853497504, .serverDies(for: .milliseconds(825.273926))),
          .at(21.600241313, .clientStarts),
          .at(
            24.111743109,
            .peersJoin(
              3,
              .init(
                tempo: .bpm(74.52249709983282), shift: Beats(nanobeats: 932156305), isPlaying: false,
                tellsPlay: false))),
          .at(24.115737922, .peerStops),
          .at(27.389090136, .freewheel(for: .milliseconds(822.10968))),
        ], duration: .seconds(30))),
    Case(
      "A client's stop counts where its start has undone ours before",
      History(
        Setup(
          seed: 6000815, rules: .pipewire, period: 512, rate: SampleRate(hertz: 96000) ?? .standard,
          skew: 4.584896943786319e-05, jitter: .milliseconds(0.25304), clockOffset: .milliseconds(249.6),
          clockSkew: 1.0944880699145843e-06, hasLatency: false, tempo: .bpm(114.54841197718196),
          mode: .link),
        [
          .at(1.5, .peersJoin(1, nil)),
          .at(285.409186383, .peerStartsOnQuantum(after: .milliseconds(1636.95101))),
          .at(286.551206527, .peerStartsOnQuantum(after: .milliseconds(3192.497078))),
          .at(286.557549862, .clientStarts),
          .at(286.684790424, .clientStops),
        ], duration: .seconds(300))),
    Case(
      "A clock that is slewed the other way is followed, and the owner's tempo with it",
      History(
        Setup(
          seed: 9002079, rules: .pipewire, period: 1024, jitter: .milliseconds(0.042612),
          clockOffset: .milliseconds(249.6), clockSkew: -9.092052026641763e-07,
          tempo: .bpm(186.97005674541222), startStopSync: false, mode: .jack),
        [
          .at(376.900814445, .periodChanges(to: 2048)),
          .at(488.138363557, .clockSlews(to: -0.0004985201353821504)),
          .at(532.321122344, .clockSlews(to: 0.0003973977116452864)),
          .at(572.887113218, .ownerTakes(.truthful, beatsPerMinute: 132.0, ticksPerBeat: 1920.0, lead: 0)),
          .at(575.830555409, .clientStarts),
        ], duration: .seconds(590))),
    Case(
      "A render that ends in a torn cycle goes on from where it is",
      History(
        Setup(
          seed: 9009805, period: 1024, skew: -1.2791123167358843e-05, jitter: .milliseconds(0.182312),
          tempo: .bpm(907.9628340546593), meter: Meter("6/8") ?? .common, launch: .now,
          frameAlignment: .exact, takeover: .follow),
        [
          .at(
            132.055075828,
            .peersJoin(
              3,
              .init(
                tempo: .bpm(981.017314955609), shift: Beats(nanobeats: 15605354776), isPlaying: false,
                tellsPlay: false))),
          .at(159.579514343, .stall(.milliseconds(210.938823), isNoticed: true)),
          .at(500.313848684, .peerChangesTempo(to: .bpm(88.84321689442612))),
          .at(550.761787467, .serverDies(for: .milliseconds(608.408466))),
          .at(558.066671768, .clientStarts),
          .at(559.889044023, .freewheel(for: .milliseconds(127.050522))),
          .at(559.898932378, .stall(.milliseconds(178.312025), isNoticed: true)),
        ], duration: .seconds(563))),
    Case(
      "What is put right is put right once, also where it goes somewhere else than was planned",
      History(
        Setup(
          seed: 9013297, period: 2048, skew: -3.731114590302902e-05, jitter: .milliseconds(0.126476),
          tempo: .bpm(123.90319856107085), launch: .now, frameAlignment: .exact),
        [
          .at(62.395857491, .clientStarts),
          .at(64.630112112, .slowClient(needs: 12)),
          .at(
            66.51923656,
            .peersJoin(
              3,
              .init(
                tempo: .bpm(137.63582935909875), shift: Beats(nanobeats: 1229598427), isPlaying: false,
                tellsPlay: false))),
          .at(66.534954323, .peerStops),
          .at(125.330211076, .clientStarts),
          .at(
            161.866003414, .ownerTakes(.truthful, beatsPerMinute: 152.0, ticksPerBeat: 1920000.0, lead: 6144)),
          .at(165.09114947, .command(.select(.jack))),
          .at(175.395087726, .bridgeEnds(for: .milliseconds(2845.965011))),
          .at(185.841674209, .clientLoops(by: Beats(nanobeats: 8000000000))),
          .at(185.882228816, .peerRepeats(after: .milliseconds(668.510815))),
          .at(186.009062915, .ownerChangesTempo(to: 132.0)),
          .at(186.03181137, .peerChangesTempo(to: .bpm(185.27553560069416))),
        ], duration: .seconds(191))),
    Case(
      "An owner's tempo that was undone before a render is said once more after it",
      History(
        Setup(
          seed: 9017256, period: 4096, skew: -5.645633222303286e-05, tempo: .bpm(122.60386079557645),
          launch: .now),
        [
          .at(
            58.692245835,
            .peersJoin(
              3,
              .init(
                tempo: .bpm(101.78065251576328), shift: Beats(nanobeats: 9712781683), isPlaying: true,
                tellsPlay: false))),
          .at(192.231728501, .ownerTakes(.truthful, beatsPerMinute: 157.0, ticksPerBeat: 1920.0, lead: 0)),
          .at(225.414367349, .clientStarts),
          .at(251.558447327, .peerRepeats(after: .milliseconds(746.726492))),
          .at(251.702957286, .ownerChangesTempo(to: 183.0)),
          .at(253.012513531, .freewheel(for: .milliseconds(1451.217346))),
        ], duration: .seconds(282))),
    Case(
      "A play that came while the timeline was ours is known by the session's beat",
      History(
        Setup(
          seed: 9021476, rules: .pipewire, period: 2048, jitter: .milliseconds(0.133938),
          clockOffset: .milliseconds(249.6), clockSkew: 6.054386384331301e-07,
          tempo: .bpm(137.91201213625706), meter: Meter("5/4") ?? .common, launch: .beat, mode: .link),
        [
          .at(29.414395201, .periodChanges(to: 256)),
          .at(41.953766781, .command(.proposeTempo(.bpm(159.32657965665123)))),
          .at(
            41.966399473,
            .peersJoin(
              3,
              .init(
                tempo: .bpm(97.61224187662789), shift: Beats(nanobeats: 13170050361), isPlaying: true,
                tellsPlay: true))),
          .at(83.663683692, .freewheel(for: .milliseconds(503.032531))),
          .at(86.682913486, .peerChangesTempo(to: .bpm(782.1156227595646))),
        ], duration: .seconds(89))),
    Case(
      "What was taken back before a render is not put back while it lasts",
      History(
        Setup(
          seed: 9024471, period: 128, jitter: .milliseconds(0.056049), tempo: .bpm(65.49203071139627),
          meter: Meter("6/8") ?? .common, launch: .now, takeover: .yield),
        [
          .at(309.382993492, .clientStarts),
          .at(
            380.861670374,
            .peersJoin(
              3,
              .init(
                tempo: .bpm(37.77445502478949), shift: Beats(nanobeats: 6570538568), isPlaying: false,
                tellsPlay: false))),
          .at(418.049561816, .periodChanges(to: 4096)),
          .at(447.921933663, .clientLocates(frame: 0)),
          .at(448.007437291, .peerStops),
          .at(448.203939587, .freewheel(for: .milliseconds(918.358636))),
        ], duration: .seconds(451))),
    Case(
      "A roll on a grid that has just changed does not wait for a bar that nobody has read",
      History(
        Setup(
          seed: 9026928, rate: SampleRate(hertz: 96000) ?? .standard, skew: -5.6345439510870525e-05,
          jitter: .milliseconds(0.133541), tempo: .bpm(102.6132165822958), meter: Meter("6/8") ?? .common,
          startStopSync: false, frameAlignment: .exact, mode: .link, relocation: .roll),
        [
          .at(2.172662849, .periodChanges(to: 2048)),
          .at(
            3.336033219,
            .peersJoin(
              1,
              .init(
                tempo: .bpm(181.87439754105816), shift: Beats(nanobeats: 14836508738), isPlaying: false,
                tellsPlay: false))),
          .at(28.070448963, .clientStarts),
          .at(29.272726895, .clientLocates(frame: 0)),
          .at(
            29.315795293,
            .peersJoin(
              3,
              .init(
                tempo: .bpm(150.1403812564748), shift: Beats(nanobeats: 15030104275), isPlaying: false,
                tellsPlay: false))),
        ], duration: .seconds(32))),
    Case(
      "A timebase that is let go while the transport rolls is ours again soon after it rolls on",
      History(
        Setup(
          seed: 9033762, period: 2048, rate: SampleRate(hertz: 44100) ?? .standard,
          tempo: .bpm(89.23273235088095), meter: Meter("5/4") ?? .common, launch: .now, frameAlignment: .off,
          mode: .link, takeover: .retake, relocation: .roll),
        [
          .at(0.0, .slowClient(needs: 14)),
          .at(14.085943401, .clientStarts),
          .at(
            154.482154814,
            .ownerTakes(.liesAboutTempo, beatsPerMinute: 155.0, ticksPerBeat: 1920000.0, lead: 0)),
          .at(154.506527448, .ownerReleases),
        ], duration: .seconds(158))),
    Case(
      "A press that repeats to the microsecond what came while JACK rendered shows nowhere",
      History(
        Setup(
          seed: 9209889, period: 2048, skew: -5.909373322344247e-06, jitter: .milliseconds(0.073196),
          tempo: .bpm(75.6759756525161), meter: Meter("6/8") ?? .common, launch: .now, mode: .link,
          takeover: .yield),
        [
          .at(129.359174594, .clientStarts),
          .at(161.575971091, .peersJoin(1, nil)),
          .at(197.396016216, .peerChangesTempo(to: .bpm(83.2393422427176))),
          .at(238.210670329, .peerChangesTempo(to: .bpm(172.38951986645557))),
          .at(239.364933229, .command(.proposeTempo(.bpm(110.91434085455802)))),
          .at(297.456999321, .peerChangesTempo(to: .bpm(113.86063458327008))),
          .at(337.999351344, .peerChangesTempo(to: .bpm(180.67826621135742))),
          .at(340.955311757, .peerChangesTempo(to: .bpm(192.0294957305442))),
          .at(373.832916568, .command(.stop)),
          .at(373.879680928, .freewheel(for: .milliseconds(1297.52411))),
          .at(374.397029711, .peerStartsOnQuantum(after: .milliseconds(2113.965139))),
          .at(375.888743478, .peerStartsOnQuantum(after: .milliseconds(363.050332))),
        ], duration: .seconds(384))),
    Case(
      "A line that was laid at a late wake-up is no slow card's",
      History(
        Setup(
          seed: 9215023, rules: .pipewire, period: 4096, rate: SampleRate(hertz: 44100) ?? .standard,
          misses: .milliseconds(327.258565), clockOffset: .milliseconds(249.6),
          clockSkew: -4.366573741528347e-06, tempo: .bpm(131.14352784832815), launch: .now),
        [
          .at(13.671266488, .clientStarts)
        ], duration: .seconds(35))),
    Case(
      "A start from frame 0 in a cycle that is on the beat but for rounding is whole",
      History(
        Setup(
          seed: 9217409, period: 512, rate: SampleRate(hertz: 44100) ?? .standard, skew: -1.8618769039939e-05,
          jitter: .milliseconds(0.081881), hasLatency: false, tempo: .bpm(481.68010018946086),
          mode: .link),
        [
          .at(26.455023385, .clientStarts),
          .at(78.576263017, .stall(.milliseconds(14.925142), isNoticed: true)),
          .at(82.314687916, .peersJoin(3, nil)),
          .at(123.495620811, .clientStops),
          .at(131.081208881, .clientStarts),
          .at(138.427801063, .clientStops),
          .at(159.052632576, .peerStarts(in: .milliseconds(1543.576128))),
          .at(159.072201021, .periodChanges(to: 4096)),
          .at(185.67880015, .bridgeEnds(for: .milliseconds(3968.833047))),
          .at(188.513951657, .peersLeave(100)),
          .at(188.677830613, .peersJoin(1, nil)),
          .at(192.732482647, .serverDies(for: .milliseconds(1599.543633))),
          .at(337.937094566, .peerChangesTempo(to: .bpm(197.09805956960355))),
          .at(339.358770773, .peerStarts(in: .milliseconds(401.914848))),
          .at(391.906313315, .serverDies(for: .milliseconds(1420.372567))),
          .at(394.943935228, .serverDies(for: .milliseconds(3153.20198))),
          .at(436.491192117, .clientStarts),
        ], duration: .seconds(440))),
    Case(
      "A roll whose first cycle is read torn goes on from there",
      History(
        Setup(
          seed: 9300098, period: 1024, skew: 5.8575459330929514e-05, jitter: .milliseconds(0.265607),
          misses: .milliseconds(8208.677486), tempo: .bpm(93.20272524768625), launch: .beat),
        [
          .at(0.0, .bridgeEnds(for: .milliseconds(2724.017309))),
          .at(3.012001092, .clientStarts),
          .at(66.567817924, .clientStops),
          .at(69.072655612, .command(.foundSession(.bpm(194.38172034301894)))),
          .at(99.084345777, .clientStarts),
          .at(99.101161261, .stall(.milliseconds(289.613901), isNoticed: true)),
        ], duration: .seconds(102))),
    Case(
      "Wake-ups that are late all the time do not hide a card that began anew",
      History(
        Setup(
          seed: 9503221, period: 512, skew: -2.2147418305588664e-05, jitter: .milliseconds(0.186709),
          misses: .milliseconds(439.872234), hasLatency: false, tempo: .bpm(624.9609399412536),
          relocation: .roll),
        [
          .at(165.744468626, .periodChanges(to: 4096)),
          .at(313.192070613, .clientStarts),
        ], duration: .seconds(346))),
    Case(
      "A start that is held through a render shows what it showed",
      History(
        Setup(
          seed: 9504941, period: 128, rate: SampleRate(hertz: 96000.0) ?? .standard,
          skew: 9.551178581696077e-05, tempo: .bpm(94.21119323186788), meter: Meter("6/8") ?? .common,
          takeover: .retake),
        [
          .at(44.591360732, .clientStarts),
          .at(61.2327973, .slowClient(needs: nil)),
          .at(485.807560995, .command(.select(.jack))),
          .at(528.226729901, .command(.proposeTempo(.bpm(121.17197534554208)))),
          .at(533.194053731, .clientLocates(frame: 4292366633)),
          .at(533.268332669, .freewheel(for: .milliseconds(843.835288))),
        ], duration: .seconds(545))),
    Case(
      "Who has the timebase again while it rolls goes on from where the frames have come to",
      History(
        Setup(
          seed: 9506230, rules: .pipewire, period: 1024, jitter: .milliseconds(0.111979),
          clockOffset: .milliseconds(249.6), clockSkew: 7.191385242049798e-07,
          tempo: .bpm(187.12283054468338), meter: Meter("5/4") ?? .common),
        [
          .at(0.0, .bridgeEnds(for: .milliseconds(2491.441002))),
          .at(
            0.023039127,
            .peersJoin(
              1,
              .init(
                tempo: .bpm(166.0072489832056), shift: Beats(nanobeats: 5825770154), isPlaying: false,
                tellsPlay: false))),
          .at(182.167915458, .clientStarts),
          .at(184.869337398, .ownerTakes(.silent, beatsPerMinute: 75.0, ticksPerBeat: 1920.0, lead: 0)),
          .at(211.250559553, .command(.proposeTempo(.bpm(90.1584534819946)))),
          .at(238.842062144, .ownerReleases),
        ], duration: .seconds(242))),
    Case(
      "Who speaks after a silence is somebody else",
      History(
        Setup(
          seed: 9508543, period: 512, jitter: .milliseconds(0.29136), misses: .milliseconds(9298.114639),
          tempo: .bpm(191.94287779956684), meter: Meter("3/4") ?? .common, launch: .beat,
          frameAlignment: .exact, mode: .jack),
        [
          .at(
            289.229858042,
            .peersJoin(
              1,
              .init(
                tempo: .bpm(197.57769742951416), shift: Beats(nanobeats: 4097587497), isPlaying: true,
                tellsPlay: true))),
          .at(365.264780933, .peerStartsOnQuantum(after: .milliseconds(2154.383367))),
          .at(
            403.965797932, .ownerTakes(.liesAboutTempo, beatsPerMinute: 92.0, ticksPerBeat: 1920.0, lead: 0)),
          .at(426.905010174, .clientStops),
          .at(458.921428184, .ownerReleases),
          .at(498.517697519, .ownerTakes(.truthful, beatsPerMinute: 61.0, ticksPerBeat: 1920000.0, lead: 0)),
          .at(499.944536329, .command(.select(.auto))),
        ], duration: .seconds(506))),
    Case(
      "A card that began anew is found after misses in long cycles that come all the time",
      History(
        Setup(
          seed: 9903208, period: 4096, skew: 2.952012876227759e-05, jitter: .milliseconds(0.285225),
          misses: .milliseconds(412.205293), tempo: .bpm(153.724356855722), quantum: Quantum(beats: 8),
          meter: Meter("6/8") ?? .common, launch: .beat, frameAlignment: .exact, relocation: .roll),
        [
          .at(1.5, .peersJoin(1, nil)),
          .at(200.593240888, .peerStarts(in: .milliseconds(0.0))),
        ], duration: .seconds(215))),
    Case(
      "A start that is planned anew for an earlier bar is read where it rolls",
      History(
        Setup(
          seed: 10301650, period: 1024, skew: 8.373263952077331e-05, tempo: .bpm(113.48762606583796),
          meter: Meter("6/8") ?? .common, frameAlignment: .off),
        [
          .at(1.861479329, .command(.start)),
          .at(5.358113484, .stall(.milliseconds(293.91119), isNoticed: true)),
          .at(31.146906182, .ownerTakes(.truthful, beatsPerMinute: 76.0, ticksPerBeat: 1920.0, lead: 0)),
          .at(33.874127917, .peersJoin(3, nil)),
          .at(35.378982946, .peerStops),
          .at(69.55731254, .peerStarts(in: .milliseconds(0.0))),
          .at(75.12627327, .clientLocates(frame: 0)),
          .at(82.825361962, .clientStops),
          .at(82.85127646, .peerStartsOnQuantum(after: .milliseconds(1415.312573))),
          .at(109.422195925, .ownerChangesTempo(to: 104.0)),
          .at(143.573271558, .peerStartsOnQuantum(after: .milliseconds(1933.360969))),
          .at(194.95636228, .peerStops),
          .at(234.688222255, .clientStarts),
          .at(308.994128225, .networkChanges(delay: 3.0, loss: 3)),
          .at(309.003479423, .serverDies(for: .milliseconds(2763.533449))),
          .at(350.874419032, .peerStarts(in: .milliseconds(463.831353))),
          .at(350.89274974, .peerStarts(in: .milliseconds(265.597616))),
        ], duration: .seconds(354))),
    Case(
      "A start whose timebase is taken, and taken back, while it is put right is put right once more",
      History(
        Setup(
          seed: 10305351, period: 128, skew: 3.256570172406375e-05, jitter: .milliseconds(0.25366),
          hasLatency: false, tempo: .bpm(99.7630627260257), launch: .now, takeover: .retake, relocation: .roll
        ),
        [
          .at(
            67.424600643,
            .peersJoin(
              3,
              .init(
                tempo: .bpm(67.97549709914566), shift: Beats(nanobeats: 9137352561), isPlaying: true,
                tellsPlay: true))),
          .at(528.023349277, .peerStartsOnQuantum(after: .milliseconds(371.979482))),
          .at(528.094304778, .slowClient(needs: 16)),
          .at(528.119904817, .ownerTakes(.silent, beatsPerMinute: 89.0, ticksPerBeat: 1920.0, lead: 0)),
          .at(528.142998272, .peerStarts(in: .milliseconds(0.0))),
        ], duration: .seconds(531))),
    Case(
      "A start that follows one whose roll was put off by a missed deadline rolls on its quantum",
      History(
        Setup(
          seed: 10404587, period: 1024, jitter: .milliseconds(0.269162), misses: .milliseconds(7199.868106),
          tempo: .bpm(179.94835482216604), meter: Meter("6/8") ?? .common),
        [
          .at(1.5, .peersJoin(1, nil)),
          .at(58.328582565, .peerStarts(in: .milliseconds(1078.206769))),
          .at(120.423987405, .clientLocates(frame: 0)),
          .at(120.824392458, .clientStops),
          .at(526.51257776, .peerStartsOnQuantum(after: .milliseconds(1621.702383))),
        ], duration: .seconds(532))),
    Case(
      "What is mapped to Link while a silent owner has the timebase is not where JACK stops",
      History(
        Setup(
          seed: 10408967, rules: .pipewire, period: 2048, rate: SampleRate(hertz: 44100.0) ?? .standard,
          clockOffset: .milliseconds(249.6), clockSkew: -3.8455703345584304e-06, hasLatency: false,
          tempo: .bpm(226.72052538703082), startStopSync: false),
        [
          .at(61.177045839, .freewheel(for: .milliseconds(954.977731))),
          .at(74.106351636, .ownerTakes(.silent, beatsPerMinute: 178.0, ticksPerBeat: 960.0, lead: 6144)),
          .at(109.884114321, .clientStarts),
          .at(114.541945906, .clientLocates(frame: 0)),
          .at(114.555577297, .clientStops),
          .at(244.558317849, .ownerReleases),
          .at(264.557355344, .peersJoin(3, nil)),
          .at(303.976568418, .clientStarts),
          .at(304.174005122, .clientStops),
        ], duration: .seconds(307))),
    Case(
      "Who joins behind changes of ours, and repeats what it has, may be a session that we have joined",
      History(
        Setup(
          seed: 10409232, period: 512, rate: SampleRate(hertz: 96000.0) ?? .standard,
          skew: -2.8307557366174653e-05, jitter: .milliseconds(0.008923), tempo: .bpm(137.69679166475422),
          launch: .now, frameAlignment: .exact, relocation: .roll),
        [
          .at(9.616491399, .clientStarts),
          .at(44.124469593, .command(.select(.jack))),
          .at(84.114184101, .ownerTakes(.truthful, beatsPerMinute: 187.0, ticksPerBeat: 1920.0, lead: 0)),
          .at(84.140218449, .peersJoin(1, nil)),
          .at(84.998084158, .peerRepeats(after: .milliseconds(808.404685))),
          .at(85.042178656, .ownerChangesTempo(to: 141.0)),
        ], duration: .seconds(93))),
    Case(
      "A start that is stopped at once, while a peer changes the tempo, is not pressed by a peer",
      History(
        Setup(
          seed: 10413918, period: 1024, skew: -1.0691298645226355e-05, hasLatency: false,
          tempo: .bpm(158.65796515871085), launch: .beat),
        [
          .at(359.172195409, .periodChanges(to: 2048)),
          .at(
            467.883734396, .ownerTakes(.liesAboutTempo, beatsPerMinute: 117.0, ticksPerBeat: 960.0, lead: 0)),
          .at(
            475.577526374,
            .peersJoin(
              2,
              .init(
                tempo: .bpm(919.2866335723479), shift: Beats(nanobeats: 1893572967), isPlaying: false,
                tellsPlay: false))),
          .at(568.303389696, .peerStarts(in: .milliseconds(1976.829277))),
          .at(572.562913369, .clientStops),
          .at(590.705105068, .ownerTakes(.truthful, beatsPerMinute: 173.0, ticksPerBeat: 1920.0, lead: 3072)),
          .at(590.717781684, .clientStarts),
          .at(590.755969993, .peerChangesTempo(to: .bpm(882.1842882978254))),
          .at(590.802024695, .clientStops),
          .at(590.816272328, .peersJoin(1, nil)),
        ], duration: .seconds(598))),
    Case(
      "A start that another program waits with goes back to where it was, whoever had the timebase meanwhile",
      History(
        Setup(
          seed: 11001295, period: 2048, skew: -5.4830016153367294e-05, jitter: .milliseconds(0.193966),
          tempo: .bpm(82.83860278889962), meter: Meter("6/8") ?? .common),
        [
          .at(65.221895818, .slowClient(needs: nil)),
          .at(
            65.593443476,
            .peersJoin(
              2,
              .init(
                tempo: .bpm(178.02939265272695), shift: Beats(nanobeats: 15_987_689_618), isPlaying: false,
                tellsPlay: false))),
          .at(125.43970607, .clientStarts),
          .at(132.571641171, .ownerTakes(.truthful, beatsPerMinute: 64.0, ticksPerBeat: 1920000.0, lead: 0)),
          .at(132.58141806, .ownerReleases),
          .at(147.911910183, .peerStops),
        ], duration: .seconds(149))),
    Case(
      "A locate that crosses one of ours is planned from what the owner reads there",
      History(
        Setup(
          seed: 11009526, period: 4096, rate: SampleRate(hertz: 44100.0) ?? .standard, hasLatency: false,
          tempo: .bpm(686.6874198864676), meter: Meter("6/8") ?? .common, startStopSync: false),
        [
          .at(1.5, .peersJoin(1, nil)),
          .at(
            4.0, .ownerTakes(.truthful, beatsPerMinute: 686.6874198864676, ticksPerBeat: 1920.0, lead: 0)),
          .at(385.763326795, .clientStarts),
          .at(387.729815889, .clientStops),
          .at(389.967865652, .clientStarts),
          .at(390.010717495, .clientLocates(frame: 4_289_371_736)),
        ], duration: .seconds(400))),
    Case(
      "A tempo that was declared before a session was joined is no change of the session's",
      History(
        Setup(
          seed: 11600020, period: 512, jitter: .milliseconds(0.287573), tempo: .bpm(168.6572911952461),
          startStopSync: false),
        [
          .at(28.243359073, .ownerTakes(.truthful, beatsPerMinute: 91.0, ticksPerBeat: 1920.0, lead: 1536)),
          .at(58.351828323, .ownerChangesTempo(to: 63.0)),
          .at(88.144405704, .clientLocates(frame: 14_531_335)),
          .at(103.63494499, .peerChangesTempo(to: .bpm(116.13547590382434))),
          .at(119.801344641, .peersJoin(1, nil)),
          .at(149.518896911, .clientStarts),
        ], duration: .seconds(160))),
    Case(
      "A step of Link's beat in the first measurements of a phase is steered away, and no further",
      History(
        Setup(
          seed: 11009580, period: 1024, skew: -1.6000826482330168e-05, tempo: .bpm(784.2214641414736),
          mode: .jack, takeover: .retake, relocation: .roll),
        [
          .at(184.826860279, .periodChanges(to: 2048)),
          .at(188.464791919, .ownerTakes(.truthful, beatsPerMinute: 122.0, ticksPerBeat: 1920000.0, lead: 0)),
          .at(
            195.82266075,
            .peersJoin(
              1,
              .init(
                tempo: .bpm(95.99600656612685), shift: Beats(nanobeats: 2_132_436_382), isPlaying: false,
                tellsPlay: false))),
          .at(214.140424854, .command(.start)),
          .at(250.490168199, .clientLocates(frame: 20_037_258)),
          .at(251.424758966, .remeasured(by: .milliseconds(-1.899833))),
        ], duration: .seconds(300))),
    Case(
      "A start that a user asks for while a locate is held is told for when it rolls",
      History(
        Setup(
          seed: 12000958, period: 1024, skew: -3.832683033445395e-06, jitter: .milliseconds(0.139957),
          misses: .milliseconds(7709.341349), tempo: .bpm(73.85842570765604),
          meter: Meter("5/4") ?? .common, launch: .now, frameAlignment: .exact),
        [
          .at(152.845828507, .clientStarts),
          .at(205.959068735, .clientStops),
          .at(
            206.030802467,
            .ownerTakes(.liesAboutTempo, beatsPerMinute: 102.0, ticksPerBeat: 1920.0, lead: 3072)),
          .at(265.209175516, .clientStarts),
          .at(265.582450512, .peersJoin(1, nil)),
          .at(344.717169425, .ownerTakes(.truthful, beatsPerMinute: 93.0, ticksPerBeat: 960.0, lead: 0)),
          .at(358.996970002, .command(.locate(0))),
          .at(360.592716335, .command(.start)),
        ], duration: .seconds(365))),
    Case(
      "A loop whose session is steered goes on where frames are at the tempo that is meant",
      History(
        Setup(
          seed: 12000309, period: 128, skew: 9.265219356125654e-06, tempo: .bpm(110.79288931236393),
          meter: Meter("3/4") ?? .common, frameAlignment: .exact, discipline: .tempo),
        [
          .at(504.270575259, .peersJoin(2, nil)),
          .at(558.165954819, .clientStarts),
          .at(586.593943846, .clientLoops(by: Beats(nanobeats: 3_000_000_000))),
        ], duration: .seconds(600))),
    Case(
      "A tempo that a user sets as an owner takes the timebase is not what steering has left",
      History(
        Setup(
          seed: 12010820, period: 512, skew: 6.878001883314022e-05, jitter: .milliseconds(0.220066),
          misses: .milliseconds(681.466855), tempo: .bpm(81.24939909298587), meter: Meter("5/4") ?? .common,
          launch: .now, relocation: .roll, discipline: .tempo),
        [
          .at(232.068356522, .clientStarts),
          .at(236.50268458, .peersJoin(2, nil)),
          .at(302.11760477, .ownerTakes(.truthful, beatsPerMinute: 150.0, ticksPerBeat: 1920.0, lead: 0)),
          .at(302.130063009, .command(.proposeTempo(.bpm(147.64106488578733)))),
        ], duration: .seconds(310))),
    Case(
      "What holds until Link has caught up with it is not relocated by a discipline",
      History(
        Setup(
          seed: 12041589, period: 4096, skew: 8.326006971451952e-05, jitter: .milliseconds(0.223871),
          tempo: .bpm(186.93801758463619), quantum: Quantum(beats: 1.0) ?? Quantum(barOf: .common),
          launch: .beat, relocation: .roll, discipline: .tempo),
        [
          .at(86.448619118, .peersJoin(2, nil)),
          .at(86.467725768, .peerChangesTempo(to: .bpm(831.9236848673082))),
          .at(178.363719363, .clientStarts),
          .at(253.035580121, .machineSleeps(for: .milliseconds(45444.293241))),
          .at(300.506628072, .peerChangesTempo(to: .bpm(60.044673236888244))),
        ], duration: .seconds(310))),
    Case(
      "A locate back by some periods that is stopped at once leaves what is read at its frame",
      History(
        Setup(
          seed: 12040954, period: 2048, skew: -5.576539380935515e-05, jitter: .milliseconds(0.198917),
          tempo: .bpm(152.96679090969351), mode: .link),
        [
          .at(1.5, .peersJoin(1, nil)),
          .at(15.893117861, .clientStarts),
          .at(339.474593398, .clientLocates(frame: 0)),
          .at(340.412831537, .clientLocates(frame: 0)),
          .at(340.489323933, .clientStops),
        ], duration: .seconds(345))),
    Case(
      "What an owner has read is not forgotten with the time of a peer's start, which is kept in each cycle",
      History(
        Setup(
          seed: 40023458, period: 512, skew: 7.54989369788505e-05, jitter: .milliseconds(0.060984),
          tempo: .bpm(87.7923301693953), meter: Meter("5/4") ?? .common, frameAlignment: .exact,
          takeover: .follow),
        [
          .at(92.251639859, .ownerTakes(.truthful, beatsPerMinute: 118.0, ticksPerBeat: 960.0, lead: 1536)),
          .at(133.913558473, .periodChanges(to: 4096)),
          .at(
            161.523042138,
            .peersJoin(
              3,
              .init(
                tempo: .bpm(108.04367125192003), shift: Beats(nanobeats: 2_121_042_513), isPlaying: true,
                tellsPlay: true))),
          .at(
            188.655708256, .ownerTakes(.liesAboutTempo, beatsPerMinute: 196.0, ticksPerBeat: 1920.0, lead: 0)
          ),
          .at(188.807689188, .peerStarts(in: .milliseconds(1091.591748))),
        ], duration: .seconds(215))),
    Case(
      "A tempo that is declared in the first cycles of a roll leaves no mean of two when that stops at once",
      History(
        Setup(
          seed: 40052845, period: 1024, misses: .milliseconds(4137.701565), hasLatency: false,
          tempo: .bpm(192.66214124703782), meter: Meter("3/4") ?? .common, discipline: .relocate),
        [
          .at(33.79627763, .slowClient(needs: 12)),
          .at(329.923640505, .peersJoin(2, nil)),
          .at(340.941463891, .periodChanges(to: 2048)),
          .at(340.95200039, .ownerTakes(.truthful, beatsPerMinute: 183.0, ticksPerBeat: 960.0, lead: 0)),
          .at(342.485514185, .freewheel(for: .milliseconds(157.574875))),
          .at(382.148972087, .ownerChangesTempo(to: 93.0)),
          .at(382.889452361, .command(.start)),
          .at(383.565310223, .peerRepeats(after: .milliseconds(839.989607))),
          .at(383.644157585, .ownerChangesTempo(to: 89.0)),
          .at(383.718584501, .clientStops),
        ], duration: .seconds(390))),
    Case(
      "Who was to be told that the session plays is not told in the session that is joined after a sleep",
      History(
        Setup(
          seed: 80007172, period: 2048, jitter: .milliseconds(0.159327), hasLatency: false,
          tempo: .bpm(169.468067979291), meter: Meter("6/8") ?? .common, takeover: .retake,
          discipline: .relocate),
        [
          .at(220.680849598, .command(.start)),
          .at(291.25414038, .slowClient(needs: nil)),
          .at(324.533811786, .periodChanges(to: 128)),
          .at(
            326.927656284,
            .peersJoin(
              3,
              .init(
                tempo: .bpm(92.96502655700925), shift: Beats(nanobeats: 11_334_352_714), isPlaying: true,
                tellsPlay: false))),
          .at(371.781387077, .command(.locate(4_286_960_316))),
          .at(376.546436048, .peersJoin(2, nil)),
          .at(393.497330845, .machineSleeps(for: .milliseconds(5027.186909))),
        ], duration: .seconds(400))),
    Case(
      "A peer's stop that is lost with the peer leaves what a render has found",
      History(
        Setup(
          seed: 80012091, period: 4096, skew: -5.262490527882447e-05, hasLatency: false,
          tempo: .bpm(78.24236354531797), frameAlignment: .exact),
        [
          .at(218.681138156, .networkChanges(delay: 60.0, loss: 3)),
          .at(
            258.138734861,
            .peersJoin(
              3,
              .init(
                tempo: .bpm(172.60375643308583), shift: Beats(nanobeats: 1_085_387_387), isPlaying: false,
                tellsPlay: false))),
          .at(258.460186354, .peerChangesTempo(to: .bpm(149.8576352465158))),
          .at(293.746503316, .command(.start)),
          .at(404.212640975, .peerStops),
          .at(431.168568785, .command(.proposeTempo(.bpm(184.02198449308077)))),
          .at(494.742174958, .slowClient(needs: nil)),
          .at(498.886759044, .clientStarts),
          .at(498.933352845, .freewheel(for: .milliseconds(348.585954))),
          .at(500.597685916, .peerStops),
          .at(500.753792554, .peersLeave(100)),
        ], duration: .seconds(510))),
    Case(
      "A step of the steering that a peer says once more as JACK rests is no tempo of its own",
      History(
        Setup(
          seed: 80016214, period: 512, skew: 6.906196899371293e-05, misses: .milliseconds(9163.19088),
          hasLatency: false, tempo: .bpm(748.0177529546701), startStopSync: false, frameAlignment: .exact,
          discipline: .tempo),
        [
          .at(394.132139033, .peersJoin(1, nil)),
          .at(464.684448468, .clientStarts),
          .at(471.434090355, .clientStops),
          .at(489.464617391, .clientStarts),
          .at(491.372387858, .command(.locate(3_721_129))),
          .at(527.630712928, .peerRepeats(after: .milliseconds(832.181665))),
          .at(527.905444305, .clientStops),
          .at(555.228038995, .command(.start)),
        ], duration: .seconds(560))),
    Case(
      "Shorter cycles end no start that is held sooner",
      History(
        Setup(
          seed: 84002150, period: 1024, jitter: .milliseconds(0.206805), hasLatency: false,
          tempo: .bpm(187.94637263500815), meter: Meter("6/8") ?? .common, mode: .link),
        [
          .at(392.30759396, .peersJoin(3, nil)),
          .at(427.97336193, .peerStartsOnQuantum(after: .milliseconds(1539.547914))),
          .at(428.068188102, .periodChanges(to: 128)),
          .at(428.109753807, .command(.proposeTempo(.bpm(110.23859306158295)))),
        ], duration: .seconds(440))),
    Case(
      "Nor do they where frames are not aligned",
      History(
        Setup(
          seed: 84039999, period: 2048, rate: SampleRate(hertz: 44100.0) ?? .standard,
          skew: 9.617069820236713e-06,
          jitter: .milliseconds(0.094343), misses: .milliseconds(6998.885649), tempo: .bpm(90.90000090900001),
          meter: Meter("5/4") ?? .common, frameAlignment: .off),
        [
          .at(103.425410894, .stall(.milliseconds(149.005414), isNoticed: true)),
          .at(105.609114392, .command(.proposeTempo(.bpm(159.12080451478764)))),
          .at(
            440.859886816,
            .peersJoin(
              3,
              .init(
                tempo: .bpm(81.99353617623144), shift: Beats(nanobeats: 728_109_154), isPlaying: true,
                tellsPlay: true))),
          .at(446.518855594, .clientStarts),
          .at(446.54855154, .command(.proposeTempo(.bpm(61.23936221245568)))),
          .at(446.594604876, .clientLocates(frame: 16_318_799)),
          .at(449.643775379, .peerStartsOnQuantum(after: .milliseconds(2809.609247))),
          .at(449.679419772, .periodChanges(to: 256)),
        ], duration: .seconds(460))),
    Case(
      "A peer's press that goes back to what we told, before we look again, shows nowhere",
      History(
        Setup(
          seed: 84015108, period: 64, skew: -1.4014870515630751e-05, jitter: .milliseconds(0.132328),
          hasLatency: false, tempo: .bpm(109.71569007511867),
          quantum: Quantum(beats: 8.0) ?? Quantum(barOf: .common),
          meter: Meter("3/4") ?? .common, frameAlignment: .exact),
        [
          .at(1.5, .peersJoin(1, nil)),
          .at(234.694576114, .clientStarts),
          .at(234.757399148, .peerStartsOnQuantum(after: .milliseconds(3811.002048))),
          .at(234.778369508, .peerStartsOnQuantum(after: .milliseconds(1319.104505))),
        ], duration: .seconds(245))),
    Case(
      "An owner's tempo that changes twice before a start is the session's when it begins",
      History(
        Setup(
          seed: 84002683, period: 1024, skew: 5.583074567134785e-05, jitter: .milliseconds(0.029969),
          tempo: .bpm(576.2470947542306), frameAlignment: .exact),
        [
          .at(144.873612718, .serverDies(for: .milliseconds(1973.552737))),
          .at(159.13225803, .stall(.milliseconds(95.859691), isNoticed: true)),
          .at(169.722519416, .serverDies(for: .milliseconds(3783.332229))),
          .at(
            183.867294847,
            .peersJoin(
              2,
              .init(
                tempo: .bpm(69.89194704986092), shift: Beats(nanobeats: 10_889_099_952), isPlaying: true,
                tellsPlay: false))),
          .at(212.692848376, .ownerTakes(.truthful, beatsPerMinute: 114.0, ticksPerBeat: 960.0, lead: 0)),
          .at(216.609596295, .ownerChangesTempo(to: 144.0)),
          .at(216.621945478, .peerStarts(in: .milliseconds(0.0))),
          .at(216.659950933, .peerStops),
          .at(216.673999731, .ownerChangesTempo(to: 63.0)),
          .at(216.685831213, .command(.start)),
        ], duration: .seconds(230))),
    Case(
      "A session that is met after an owner's start has rolled moves the grid, and not the roll",
      History(
        Setup(
          seed: 84007255, period: 128, rate: SampleRate(hertz: 44100.0) ?? .standard,
          skew: -3.6900404405010126e-05,
          jitter: .milliseconds(0.10861), tempo: .bpm(107.95152976313635),
          quantum: Quantum(beats: 4.0) ?? Quantum(barOf: .common),
          meter: Meter("5/4") ?? .common, frameAlignment: .exact, relocation: .roll),
        [
          .at(0.917419963, .ownerTakes(.liesAboutTempo, beatsPerMinute: 62.0, ticksPerBeat: 1920.0, lead: 0)),
          .at(4.72776671, .clientStarts),
          .at(7.390673502, .clientStops),
          .at(7.428477947, .ownerChangesTempo(to: 104.0)),
          .at(10.20510908, .clientStarts),
          .at(15.426426712, .clientLocates(frame: 4_285_095_979)),
          .at(94.780523485, .ownerReleases),
          .at(
            96.906054129,
            .peersJoin(
              3,
              .init(
                tempo: .bpm(107.27810418134291), shift: Beats(nanobeats: 302_838_841), isPlaying: false,
                tellsPlay: false))),
          .at(99.442958677, .ownerTakes(.truthful, beatsPerMinute: 168.0, ticksPerBeat: 1920000.0, lead: 0)),
          .at(172.100402761, .clientStops),
          .at(172.127883146, .peersLeave(100)),
          .at(
            172.174297496,
            .peersJoin(
              3,
              .init(
                tempo: .bpm(168.0182803889063), shift: Beats(nanobeats: 14_534_117_659), isPlaying: true,
                tellsPlay: false))),
          .at(172.179216274, .clientLocates(frame: 1416)),
          .at(172.749175592, .clientStarts),
        ], duration: .seconds(185))),
    Case(
      "A program that is slow where the clock is restless is known for it the second time",
      History(
        Setup(
          seed: 85003133, rules: .modernPipewire, period: 4096, rate: SampleRate(hertz: 44100.0) ?? .standard,
          skew: -1.200358782526334e-06, jitter: .milliseconds(0.046433), clockOffset: .milliseconds(249.6),
          clockSkew: 2.9177802752732765e-06, tempo: .bpm(70.45511656799036), meter: Meter("5/4") ?? .common,
          frameAlignment: .exact, mode: .link, discipline: .tempo),
        [
          .at(0.0, .bridgeEnds(for: .milliseconds(2366.508284))),
          .at(
            0.262872292,
            .peersJoin(
              1,
              .init(
                tempo: .bpm(108.31185148278925), shift: Beats(nanobeats: 5_630_058_757), isPlaying: true,
                tellsPlay: true))),
          .at(34.246844482, .serverDies(for: .milliseconds(1285.69151))),
          .at(35.889803471, .periodChanges(to: 1024)),
          .at(37.020066044, .peersLeave(100)),
          .at(74.831694185, .command(.proposeTempo(.bpm(94.71206742236373)))),
          .at(74.841411006, .command(.start)),
          .at(
            81.296009059,
            .peersJoin(
              1,
              .init(
                tempo: .bpm(194.15527892023778), shift: Beats(nanobeats: 15_004_596_136), isPlaying: true,
                tellsPlay: true))),
          .at(82.593811767, .clockSlews(to: 8.17499604340286e-05)),
          .at(97.428292243, .clientStops),
          .at(113.900828355, .command(.proposeTempo(.bpm(191.49689934603808)))),
          .at(156.28526107, .clientStarts),
          .at(172.925023857, .bridgeEnds(for: .milliseconds(4063.009819))),
          .at(
            274.665194598, .ownerTakes(.truthful, beatsPerMinute: 61.0, ticksPerBeat: 1920000.0, lead: 12288)),
          .at(298.837156116, .peerStops),
          .at(299.241390102, .command(.proposeTempo(.bpm(73.91410934114195)))),
          .at(299.707353686, .peerStops),
          .at(303.493163101, .periodChanges(to: 4096)),
          .at(307.809127299, .clientStarts),
          .at(345.956242342, .clientStops),
          .at(
            385.97943412,
            .peersJoin(
              1,
              .init(
                tempo: .bpm(115.18702533346644), shift: Beats(nanobeats: 12_104_214_161), isPlaying: false,
                tellsPlay: false))),
          .at(386.023984539, .clientStarts),
          .at(387.830618722, .slowClient(needs: 2)),
          .at(389.546165586, .ownerReleases),
          .at(392.158610755, .peerChangesTempo(to: .bpm(100.29335807236166))),
          .at(392.939858345, .clientStops),
          .at(392.98640731, .peerRepeats(after: .milliseconds(822.981662))),
          .at(393.24720782, .peerChangesTempo(to: .bpm(103.65397538909112))),
          .at(393.281610861, .peerChangesTempo(to: .bpm(155.802069051477))),
          .at(420.053672471, .peerStarts(in: .milliseconds(160.661132))),
          .at(431.17385926, .clockSlews(to: -0.00028261168105429623)),
          .at(
            431.252162175,
            .peersJoin(
              1,
              .init(
                tempo: .bpm(171.4858967140444), shift: Beats(nanobeats: 6_823_815_468), isPlaying: false,
                tellsPlay: false))),
        ], duration: .seconds(443))),
    Case(
      "A session that is met with nearly the tempo of the steered one has its own",
      History(
        Setup(
          seed: 85014627, rules: .pipewire, period: 512, rate: SampleRate(hertz: 44100.0) ?? .standard,
          skew: -5.06563604477619e-05, clockOffset: .milliseconds(249.6), clockSkew: -1.3361982275329055e-06,
          hasLatency: false, tempo: .bpm(115.13066370908784), meter: Meter("6/8") ?? .common,
          startStopSync: false, relocation: .roll, discipline: .tempo),
        [
          .at(123.219821185, .clientStarts),
          .at(
            162.543853033,
            .peersJoin(
              1,
              .init(
                tempo: .bpm(109.10459675850242), shift: Beats(nanobeats: 15_373_821_530), isPlaying: false,
                tellsPlay: false))),
          .at(
            200.746537839,
            .peersJoin(
              3,
              .init(
                tempo: .bpm(109.01202402625009), shift: Beats(nanobeats: 181_538_508), isPlaying: false,
                tellsPlay: false))),
        ], duration: .seconds(220))),
    Case(
      "A start that is put off twice leaves the playhead where the first one began",
      History(
        Setup(
          seed: 85016324, rules: .pipewire, period: 1024, skew: -1.81320108354186e-06,
          jitter: .milliseconds(0.201646), clockOffset: .milliseconds(249.6), clockSkew: 2.28536539242592e-06,
          tempo: .bpm(102.17131063654429), launch: .beat, mode: .link, takeover: .yield),
        [
          .at(1.5, .peersJoin(1, nil)),
          .at(268.816306856, .peerStarts(in: .milliseconds(0.0))),
          .at(269.368897408, .peerStartsOnQuantum(after: .milliseconds(3294.022745))),
          .at(269.386511436, .clientStarts),
        ], duration: .seconds(280))),
    Case(
      "A place that is located to in cycles that were missed is read once it rolls",
      History(
        Setup(
          seed: 85018709, rules: .modernPipewire, period: 64, skew: -4.256545314114586e-05,
          jitter: .milliseconds(0.228296), misses: .milliseconds(2845.833647),
          clockOffset: .milliseconds(249.6), clockSkew: -1.8878474469511366e-06,
          tempo: .bpm(704.3080173729311), launch: .beat, discipline: .relocate),
        [
          .at(20.740070174, .slowClient(needs: 18)),
          .at(95.565167856, .clientStarts),
          .at(144.425792257, .clientLoops(by: Beats(nanobeats: 4_000_000_000))),
        ], duration: .seconds(154))),
    Case(
      "A stop on its way as others join is taken for what they had",
      History(
        Setup(
          seed: 85027918, period: 1024, skew: 5.671158485290844e-05, jitter: .milliseconds(0.230429),
          hasLatency: false, tempo: .bpm(117.14585830817951),
          quantum: Quantum(beats: 1.0) ?? Quantum(barOf: .common), frameAlignment: .off),
        [
          .at(122.525504174, .freewheel(for: .milliseconds(915.674275))),
          .at(206.363094272, .networkChanges(delay: 60.0, loss: 3)),
          .at(211.158732707, .peersJoin(1, nil)),
          .at(444.276281444, .command(.proposeTempo(.bpm(733.2363831893339)))),
          .at(475.13695745, .bridgeEnds(for: .milliseconds(2538.323727))),
          .at(546.111232789, .peerStarts(in: .milliseconds(0.0))),
          .at(546.118977655, .command(.select(.jack))),
          .at(547.102152994, .peerStops),
          .at(547.10882325, .ownerTakes(.truthful, beatsPerMinute: 83.0, ticksPerBeat: 1920.0, lead: 3072)),
          .at(547.119495151, .clientStarts),
          .at(547.16047312, .peersJoin(3, nil)),
        ], duration: .seconds(560))),
    Case(
      "A start that is nobody's for a cycle is taken back to where it began",
      History(
        Setup(
          seed: 86007936, period: 1024, skew: 2.720431458799051e-05, jitter: .milliseconds(0.048228),
          hasLatency: false, tempo: .bpm(132.21479615783804), meter: Meter("5/4") ?? .common, launch: .now,
          frameAlignment: .exact, mode: .jack, takeover: .retake, relocation: .roll, discipline: .relocate),
        [
          .at(42.111598223, .command(.select(.link))),
          .at(124.272666759, .stall(.milliseconds(91.803312), isNoticed: true)),
          .at(124.375382347, .serverDies(for: .milliseconds(1326.073499))),
          .at(270.243888481, .slowClient(needs: nil)),
          .at(287.010025506, .peersJoin(2, nil)),
          .at(310.046196326, .clientStarts),
          .at(310.072739269, .ownerTakes(.truthful, beatsPerMinute: 79.0, ticksPerBeat: 1920.0, lead: 3072)),
          .at(330.46108934, .clientStops),
        ], duration: .seconds(340))),
    Case(
      "A stop that is on its way as others join is not the last press",
      History(
        Setup(
          seed: 86010372, period: 512, jitter: .milliseconds(0.074537), misses: .milliseconds(9014.965163),
          tempo: .bpm(802.4501477845689), meter: Meter("5/4") ?? .common, launch: .now, frameAlignment: .off,
          mode: .jack),
        [
          .at(
            0.0,
            .peersJoin(
              1,
              .init(
                tempo: .bpm(156.45820349475474), shift: Beats(nanobeats: 11_090_550_472), isPlaying: true,
                tellsPlay: true))),
          .at(0.477567484, .peerStops),
          .at(39.139558795, .peersJoin(2, nil)),
          .at(39.172916933, .peerStarts(in: .milliseconds(0.0))),
          .at(66.669475109, .clientStops),
          .at(132.834517038, .serverDies(for: .milliseconds(153.294884))),
          .at(157.61916685, .networkChanges(delay: 3.0, loss: 3)),
          .at(166.059171943, .clientLocates(frame: 4_291_340_242)),
          .at(173.955686721, .ownerTakes(.truthful, beatsPerMinute: 128.0, ticksPerBeat: 960.0, lead: 0)),
          .at(180.399732521, .clientStarts),
          .at(
            197.968908721, .ownerTakes(.truthful, beatsPerMinute: 62.0, ticksPerBeat: 1920000.0, lead: 1536)),
          .at(200.293241207, .clientStops),
          .at(200.311222564, .clientStarts),
          .at(203.64656464, .clientStops),
          .at(206.654013285, .peerChangesTempo(to: .bpm(124.28432940318665))),
          .at(237.860477535, .peerStops),
          .at(262.171314567, .peerStops),
          .at(287.102954444, .stall(.milliseconds(166.443696), isNoticed: true)),
          .at(307.77013352, .freewheel(for: .milliseconds(454.916427))),
          .at(326.409823797, .peerStarts(in: .milliseconds(0.0))),
          .at(327.672763733, .peerStops),
          .at(327.719654372, .peersJoin(1, nil)),
        ], duration: .seconds(361))),
    Case(
      "Who rolls on from a locate is not brought into phase, whatever was missed as it came",
      History(
        Setup(
          seed: 86010594, rules: .pipewire, period: 1024, rate: SampleRate(hertz: 44100.0) ?? .standard,
          skew: -7.793449315786168e-05, jitter: .milliseconds(0.138762), clockOffset: .milliseconds(249.6),
          clockSkew: 4.4798342903892e-06, tempo: .bpm(83.03659284252248), relocation: .roll),
        [
          .at(1.5, .peersJoin(1, nil)),
          .at(4.0, .ownerTakes(.truthful, beatsPerMinute: 83.03659284252248, ticksPerBeat: 1920.0, lead: 0)),
          .at(379.397995148, .clientStarts),
          .at(382.591388676, .stall(.milliseconds(60.436864), isNoticed: true)),
          .at(382.595182794, .clientLocates(frame: 23_179_682)),
        ], duration: .seconds(398))),
    Case(
      "A playhead is put back once the program is let run again",
      History(
        Setup(
          seed: 86015123, period: 2048, rate: SampleRate(hertz: 96000.0) ?? .standard,
          jitter: .milliseconds(0.112393), misses: .milliseconds(310.471862), tempo: .bpm(931.4456035767511),
          quantum: Quantum(beats: 4.0) ?? Quantum(barOf: .common), meter: Meter("3/4") ?? .common,
          launch: .now, frameAlignment: .exact),
        [
          .at(0.809428088, .bridgeEnds(for: .milliseconds(3009.212331))),
          .at(164.414043076, .periodChanges(to: 256)),
          .at(233.448803141, .clientStarts),
          .at(261.576267489, .serverDies(for: .milliseconds(2436.484567))),
          .at(313.390440854, .peersJoin(1, nil)),
          .at(412.346874818, .peerStarts(in: .milliseconds(1682.701753))),
          .at(413.963027346, .clientStops),
        ], duration: .seconds(424))),
    Case(
      "In long cycles, too, what was said before an owner came is no change of its tempo",
      History(
        Setup(
          seed: 86027124, period: 4096, tempo: .bpm(166.6338027777855),
          quantum: Quantum(beats: 8.0) ?? Quantum(barOf: .common), meter: Meter("5/4") ?? .common,
          discipline: .relocate),
        [
          .at(79.322804526, .serverDies(for: .milliseconds(2670.096948))),
          .at(84.885138286, .peersJoin(2, nil)),
          .at(86.693998184, .clientLocates(frame: 10_781_851)),
          .at(86.713373261, .ownerTakes(.truthful, beatsPerMinute: 84.0, ticksPerBeat: 960.0, lead: 12288)),
          .at(86.722119254, .command(.foundSession(.bpm(128.1172529098631)))),
          .at(99.963359016, .peerStarts(in: .milliseconds(431.967601))),
        ], duration: .seconds(110))),
    Case(
      "A timebase that is taken back goes on for a cycle with what its owner has read",
      History(
        Setup(
          seed: 86041753, period: 4096, tempo: .bpm(111.11625538219361),
          quantum: Quantum(beats: 2.0) ?? Quantum(barOf: .common), meter: Meter("6/8") ?? .common,
          takeover: .retake, relocation: .roll),
        [
          .at(41.040903032, .clientHangs(for: .milliseconds(5490.180576))),
          .at(43.124663544, .command(.select(.jack))),
          .at(43.141849051, .clientStarts),
          .at(45.797592754, .ownerTakes(.truthful, beatsPerMinute: 69.0, ticksPerBeat: 1920000.0, lead: 0)),
        ], duration: .seconds(56))),
    Case(
      "A measured tempo is steered by a thousandth of what it is",
      History(
        Setup(
          seed: 86059444, period: 2048, skew: -5.423751261678027e-05, jitter: .milliseconds(0.235015),
          hasLatency: false, tempo: .bpm(841.4439177628811),
          quantum: Quantum(beats: 8.0) ?? Quantum(barOf: .common), launch: .beat, discipline: .tempo),
        [
          .at(195.518081175, .slowClient(needs: 15)),
          .at(197.112455106, .clientStarts),
          .at(
            197.117534471,
            .ownerTakes(.liesAboutTempo, beatsPerMinute: 136.0, ticksPerBeat: 1920.0, lead: 6144)),
          .at(198.475255032, .ownerReleases),
        ], duration: .seconds(210))),
    Case(
      "The tempo of a session that is met again is what it is on the wire",
      History(
        Setup(
          seed: 86009389, period: 2048, skew: 5.407383717226688e-05, hasLatency: false,
          tempo: .bpm(148.3646506383389), meter: Meter("6/8") ?? .common, frameAlignment: .exact),
        [
          .at(0.0, .bridgeEnds(for: .milliseconds(2313.16621))),
          .at(
            0.080589762,
            .peersJoin(
              1,
              .init(
                tempo: .bpm(84.33089757590835), shift: Beats(nanobeats: 9_214_714_531), isPlaying: false,
                tellsPlay: false))),
          .at(4.347732489, .peerChangesTempo(to: .bpm(136.87848612394347))),
          .at(306.738460765, .clientLocates(frame: 14_952_157)),
          .at(309.798740106, .ownerTakes(.truthful, beatsPerMinute: 186.0, ticksPerBeat: 960.0, lead: 0)),
          .at(309.799313695, .peerStarts(in: .milliseconds(1632.156131))),
          .at(311.66993359, .ownerTakes(.truthful, beatsPerMinute: 145.0, ticksPerBeat: 1920.0, lead: 0)),
          .at(317.094509583, .freewheel(for: .milliseconds(1338.079934))),
          .at(318.744111293, .ownerTakes(.truthful, beatsPerMinute: 195.0, ticksPerBeat: 960.0, lead: 6144)),
          .at(358.297418611, .ownerReleases),
          .at(359.780297754, .peerStops),
          .at(419.870802111, .machineSleeps(for: .milliseconds(8929.679786))),
          .at(437.887966255, .peerStarts(in: .milliseconds(749.808513))),
        ], duration: .seconds(448))),
    Case(
      "A roll whose stop a client has undone is put in phase as any other",
      History(
        Setup(
          seed: 88004879, period: 2048, skew: -7.943805541995501e-05, jitter: .milliseconds(0.20301),
          tempo: .bpm(751.22073369225), meter: Meter("5/4") ?? .common, frameAlignment: .exact),
        [
          .at(1.5, .peersJoin(1, nil)),
          .at(4.0, .ownerTakes(.truthful, beatsPerMinute: 751.22073369225, ticksPerBeat: 1920.0, lead: 0)),
          .at(48.191209613, .stall(.milliseconds(96.739372), isNoticed: true)),
          .at(83.700605935, .clientStarts),
          .at(87.209020519, .clientStops),
          .at(98.37540111, .peerStarts(in: .milliseconds(1229.059573))),
          .at(99.572052401, .stall(.milliseconds(88.068245), isNoticed: true)),
          .at(99.596937931, .peerStops),
          .at(99.633312943, .clientStarts),
        ], duration: .seconds(105))),
    Case(
      "Wake-ups that come later and later lie late on the line that is laid under them, too",
      History(
        Setup(
          seed: 86035350, period: 4096, skew: -1.6421390856734708e-05, jitter: .milliseconds(0.19489),
          misses: .milliseconds(450.835139), tempo: .bpm(157.32629210772654), frameAlignment: .exact,
          takeover: .yield),
        [
          .at(154.950915107, .clientStarts),
          .at(332.650029204, .clientStops),
          .at(335.775705205, .clientStarts),
        ], duration: .seconds(457))),
    Case(
      "What an owner says while neither side leads has not been steered about",
      History(
        Setup(
          seed: 86018769, period: 1024, skew: -2.6823182451268202e-05, jitter: .milliseconds(0.223154),
          hasLatency: false, tempo: .bpm(752.5115071551303), frameAlignment: .exact, discipline: .tempo),
        [
          .at(48.330246042, .peersJoin(1, nil)),
          .at(55.740712157, .ownerTakes(.truthful, beatsPerMinute: 155.0, ticksPerBeat: 1920.0, lead: 3072)),
          .at(105.074507291, .command(.start)),
          .at(107.634114729, .ownerChangesTempo(to: 187.0)),
          .at(291.526696163, .command(.locate(0))),
          .at(295.017634532, .clientLocates(frame: 4_288_878_187)),
          .at(295.300131553, .command(.select(.link))),
          .at(347.748489897, .ownerChangesTempo(to: 118.0)),
          .at(446.26994601, .peerStops),
        ], duration: .seconds(454))),
    Case(
      "A peer's tempo as others come is taken for that of a session that was joined",
      History(
        Setup(
          seed: 91172276, period: 4096, rate: SampleRate(hertz: 44100.0) ?? .standard,
          jitter: .milliseconds(0.275348), tempo: .bpm(108.21827626322292), launch: .beat,
          frameAlignment: .exact, mode: .link, takeover: .retake),
        [
          .at(243.559806309, .slowClient(needs: 15)),
          .at(243.598686755, .clientStarts),
          .at(244.793718275, .peersJoin(2, nil)),
          .at(246.611737038, .peerChangesTempo(to: .bpm(78.7387108373337))),
          .at(246.627374758, .command(.proposeTempo(.bpm(173.72924297482373)))),
          .at(246.634620984, .peersJoin(1, nil)),
        ], duration: .seconds(255))),
    Case(
      "A user's start counts also against a peer's stop that cannot be seen yet",
      History(
        Setup(
          seed: 92042755, rules: .pipewire, period: 512, jitter: .milliseconds(0.289438),
          clockOffset: .milliseconds(249.6), clockSkew: 1.3566343337572407e-06, hasLatency: false,
          tempo: .bpm(110.347059894545), frameAlignment: .off, takeover: .retake),
        [
          .at(172.486546162, .periodChanges(to: 1024)),
          .at(
            509.99002616,
            .peersJoin(
              1,
              .init(
                tempo: .bpm(95.47010274174224), shift: Beats(nanobeats: 8_611_400_356), isPlaying: false,
                tellsPlay: false))),
          .at(516.154950764, .clientStarts),
          .at(516.173967056, .peerStops),
          .at(517.213032372, .command(.start)),
        ], duration: .seconds(528))),
    Case(
      "Frames are in phase seconds after a clock has begun to be slewed",
      History(
        Setup(
          seed: 93021629, rules: .modernPipewire, period: 512, jitter: .milliseconds(0.120247),
          clockOffset: .milliseconds(249.6), clockSkew: -1.493510370466792e-06,
          tempo: .bpm(162.28628924285331), mode: .link),
        [
          .at(157.606111965, .clientStarts),
          .at(
            248.375958358,
            .peersJoin(
              2,
              .init(
                tempo: .bpm(632.2777807049897), shift: Beats(nanobeats: 2_066_784_029), isPlaying: true,
                tellsPlay: true))),
          .at(256.485284334, .clientStops),
          .at(281.86993235, .clockSlews(to: 0.0003287386663506414)),
          .at(284.955637605, .clientStarts),
        ], duration: .seconds(289))),
    Case(
      "Frames are in phase seconds after a clock has begun to be slewed the other way",
      History(
        Setup(
          seed: 93031173, rules: .modernPipewire, skew: -4.8825436463513695e-05,
          clockOffset: .milliseconds(249.6), clockSkew: -9.297097821221456e-09, hasLatency: false,
          tempo: .bpm(138.03035287459713), frameAlignment: .exact, mode: .jack),
        [
          .at(28.568433148, .slowClient(needs: nil)),
          .at(36.993264495, .peersJoin(3, nil)),
          .at(39.677353042, .command(.select(.link))),
          .at(68.088940837, .command(.start)),
          .at(147.490458037, .clientStops),
          .at(147.535342436, .command(.proposeTempo(.bpm(165.4697686732634)))),
          .at(185.134053956, .slowClientsLeave),
          .at(185.182941198, .clockSlews(to: -0.00042746314434177914)),
          .at(190.584456702, .clientStarts),
        ], duration: .seconds(194))),
    Case(
      "A start that is held for Link rolls where it is once JACK leads",
      History(
        Setup(
          seed: 95000600, period: 512, skew: -2.3285744413845434e-05, jitter: .milliseconds(0.165856),
          misses: .milliseconds(9478.717457), hasLatency: false, tempo: .bpm(141.6952418737779),
          meter: Meter("6/8") ?? .common, startStopSync: false, takeover: .retake, relocation: .roll,
          discipline: .relocate),
        [
          .at(
            165.212963486,
            .peersJoin(
              2,
              .init(
                tempo: .bpm(96.0401063484111), shift: Beats(nanobeats: 1_396_726_972), isPlaying: false,
                tellsPlay: false))),
          .at(175.057529638, .clientStarts),
          .at(177.682993451, .command(.select(.jack))),
          .at(178.476463478, .clientHangs(for: .milliseconds(3284.472523))),
          .at(178.499722032, .clientStops),
          .at(180.551901206, .clientStarts),
        ], duration: .seconds(184))),
    Case(
      "A tempo that a discipline takes back as an owner begins to lead is not that owner's",
      History(
        Setup(
          seed: 96060227, rules: .pipewire, period: 1024, skew: 9.763701338342222e-05,
          jitter: .milliseconds(0.108583), clockOffset: .milliseconds(249.6),
          clockSkew: -3.7908452328124888e-06, tempo: .bpm(198.96208114336875), meter: Meter("3/4") ?? .common,
          discipline: .tempo),
        [
          .at(98.386663242, .peersJoin(3, nil)),
          .at(344.397495995, .clientStarts),
          .at(345.871796822, .peerChangesTempo(to: .bpm(182.83652586222658))),
          .at(421.369597348, .ownerTakes(.truthful, beatsPerMinute: 183.0, ticksPerBeat: 1920.0, lead: 0)),
          .at(440.244346493, .clientStops),
        ], duration: .seconds(446))),
    Case(
      "A session that is found again has for its own what a discipline has left it with",
      History(
        Setup(
          seed: 96100400, rules: .modernPipewire, period: 2048, skew: 7.038953302569546e-05,
          jitter: .milliseconds(0.063334), clockOffset: .milliseconds(249.6),
          clockSkew: -4.3624764304516674e-07, tempo: .bpm(164.02226328853703),
          meter: Meter("5/4") ?? .common, takeover: .retake, discipline: .tempo),
        [
          .at(0.0, .clientStarts),
          .at(5.828380972, .peersJoin(1, nil)),
          .at(123.661057971, .peersJoin(1, nil)),
          .at(184.894065118, .freewheel(for: .milliseconds(1482.846038))),
          .at(188.922981805, .clientStops),
          .at(191.814779189, .clientStarts),
          .at(193.521144255, .freewheel(for: .milliseconds(387.40747))),
          .at(
            198.296383354,
            .ownerTakes(.truthful, beatsPerMinute: 79.0, ticksPerBeat: 1920.0, lead: 6144)),
          .at(259.145251371, .command(.start)),
          .at(279.936280851, .clientStops),
          .at(309.055653944, .command(.start)),
          .at(347.5834581, .peerChangesTempo(to: .bpm(140.62093517609256))),
          .at(363.881466288, .machineSleeps(for: .milliseconds(30060.222748))),
          .at(
            365.628567586, .ownerTakes(.truthful, beatsPerMinute: 197.0, ticksPerBeat: 1920.0, lead: 0)),
        ], duration: .seconds(379))),
    Case(
      "A start just before its beat has no room on a server that holds none for another bar",
      History(
        Setup(
          seed: 97041405, rules: .modernPipewire, period: 1024, rate: SampleRate(hertz: 96000.0) ?? .standard,
          jitter: .milliseconds(0.044582), clockOffset: .milliseconds(249.6),
          clockSkew: 2.3732502932275603e-06, tempo: .bpm(64.89889293305139), meter: Meter("5/4") ?? .common),
        [
          .at(1.5, .peersJoin(1, nil)),
          .at(327.247367251, .clientStarts),
          .at(356.358655536, .clientStops),
          .at(359.764077679, .peerStartsOnQuantum(after: .milliseconds(1533.249488))),
          .at(360.954477392, .clientStarts),
        ], duration: .seconds(364))),
    Case(
      "What is rendered goes on where the timebase comes back just as it begins",
      History(
        Setup(
          seed: 98000983, period: 1024, skew: 8.70942211747253e-05, jitter: .milliseconds(0.082989),
          misses: .milliseconds(3070.174159), tempo: .bpm(61.634421591770575),
          quantum: Quantum(beats: 4.0) ?? Quantum(barOf: .common), meter: Meter("6/8") ?? .common,
          launch: .beat, takeover: .retake),
        [
          .at(344.714576712, .stall(.milliseconds(74.414956), isNoticed: true)),
          .at(544.843313008, .clientStarts),
          .at(
            547.960057715,
            .ownerTakes(.liesAboutTempo, beatsPerMinute: 162.0, ticksPerBeat: 1920.0, lead: 0)),
          .at(
            547.974907478,
            .peersJoin(
              1,
              .init(
                tempo: .bpm(177.53790434257715), shift: Beats(nanobeats: 6_549_342_685), isPlaying: false,
                tellsPlay: false))),
          .at(547.983867007, .freewheel(for: .milliseconds(400.852199))),
          .at(547.989725316, .ownerReleases),
        ], duration: .seconds(551))),
    Case(
      "Frames that somebody locates just as they are put in phase are waited for longer",
      History(
        Setup(
          seed: 99350545, period: 4096, rate: SampleRate(hertz: 44100.0) ?? .standard,
          jitter: .milliseconds(0.017049), tempo: .bpm(142.66081440303583),
          quantum: Quantum(beats: 1.0) ?? Quantum(barOf: .common), meter: Meter("3/4") ?? .common,
          discipline: .relocate),
        [
          .at(21.551167912, .clientStarts),
          .at(26.159407241, .clientStops),
          .at(29.213693414, .clientStarts),
          .at(32.128288773, .clientStops),
          .at(34.847829049, .clientStarts),
          .at(87.918319296, .command(.foundSession(.bpm(198.39826467651162)))),
          .at(
            107.767498472,
            .peersJoin(
              3,
              .init(
                tempo: .bpm(112.54269588525146), shift: Beats(nanobeats: 5_898_796_547), isPlaying: true,
                tellsPlay: false))),
          .at(108.589289933, .machineSleeps(for: .milliseconds(3234.237627))),
          .at(163.652932825, .peerChangesTempo(to: .bpm(67.22621284491248))),
          .at(165.311840326, .clientLocates(frame: 0)),
        ], duration: .seconds(175))),
    Case(
      "On PipeWire an owner that lies about its tempo changes it just as it is looped to before the change, before it is known",
      History(
        Setup(
          seed: 99930892, rules: .modernPipewire, period: 512, skew: 9.41719155601122e-05,
          clockOffset: .milliseconds(249.6), clockSkew: -3.4452534137441317e-09,
          tempo: .bpm(142.0780813775891), launch: .now, startStopSync: false, frameAlignment: .exact,
          discipline: .relocate),
        [
          .at(
            406.799201674,
            .peersJoin(
              1,
              .init(
                tempo: .bpm(142.77012106906267), shift: Beats(nanobeats: 10_369_502_429), isPlaying: true,
                tellsPlay: false))),
          .at(434.615754443, .periodChanges(to: 4096)),
          .at(467.829397375, .slowClient(needs: 15)),
          .at(
            555.515714783,
            .ownerTakes(.liesAboutTempo, beatsPerMinute: 144.0, ticksPerBeat: 1920.0, lead: 1536)),
          .at(580.611558745, .clientLocates(frame: 16_667_610)),
          .at(583.127984037, .clientStarts),
          .at(584.738516857, .clientLoops(by: Beats(nanobeats: 4_000_000_000))),
          .at(584.776168272, .ownerChangesTempo(to: 67.0)),
        ], duration: .seconds(588))),
    Case(
      "A slow client leaves while JACK renders, and what is looped later does not wait for it",
      History(
        Setup(
          seed: 99742037, period: 512, skew: 8.256572115818087e-05, hasLatency: false,
          tempo: .bpm(193.7790466716834), frameAlignment: .exact),
        [
          .at(55.663405178, .slowClient(needs: 19)),
          .at(55.704510144, .peersJoin(3, nil)),
          .at(134.473048477, .peerChangesTempo(to: .bpm(144.8495134263428))),
          .at(206.575835443, .clientStarts),
          .at(222.846070698, .clientStops),
          .at(224.392256276, .peerStarts(in: .milliseconds(0.0))),
          .at(259.917144914, .freewheel(for: .milliseconds(1437.652423))),
          .at(259.959800308, .slowClientsLeave),
          .at(315.021714217, .command(.stop)),
          .at(348.171439805, .clientStarts),
          .at(354.313403938, .clientLoops(by: Beats(nanobeats: 16_000_000_000))),
        ], duration: .seconds(358))),
    Case(
      "A start whose beat falls exactly on a cycle's edge is read there as it is planned at last",
      History(
        Setup(
          seed: 98171649, period: 512, skew: -2.0965405830743824e-05, tempo: .bpm(99.74714099757115),
          frameAlignment: .exact),
        [
          .at(2.45998548, .clientStarts),
          .at(43.961109258, .clientLoops(by: Beats(nanobeats: 6_000_000_000))),
          .at(
            48.732515103,
            .peersJoin(
              3,
              .init(
                tempo: .bpm(524.5855773938589), shift: Beats(nanobeats: 4_537_797_633), isPlaying: false,
                tellsPlay: false))),
          .at(89.762181697, .ownerTakes(.truthful, beatsPerMinute: 180.0, ticksPerBeat: 960.0, lead: 0)),
          .at(94.880506236, .ownerTakes(.truthful, beatsPerMinute: 87.0, ticksPerBeat: 1920.0, lead: 0)),
          .at(96.734872537, .ownerTakes(.silent, beatsPerMinute: 77.0, ticksPerBeat: 960.0, lead: 1536)),
          .at(189.583576562, .remeasured(by: .milliseconds(-0.053261))),
          .at(189.737636225, .machineSleeps(for: .milliseconds(3560.607577))),
          .at(213.981328026, .serverDies(for: .milliseconds(3534.972854))),
          .at(256.670726552, .remeasured(by: .milliseconds(-0.028445))),
          .at(256.704384168, .peerChangesTempo(to: .bpm(168.35678169176117))),
          .at(257.808948827, .command(.locate(19_230_230))),
          .at(257.83188506, .clientHangs(for: .milliseconds(7263.909334))),
          .at(257.855336598, .stall(.milliseconds(3.999935), isNoticed: false)),
          .at(259.879585954, .clientStarts),
        ], duration: .seconds(264))),
    Case(
      "A locate comes as a start that an owner's silence about its lead has put off is being mended",
      History(
        Setup(
          seed: 98341593, rules: .modernPipewire, period: 2048, rate: SampleRate(hertz: 44100.0) ?? .standard,
          skew: 1.5100342567509362e-05, jitter: .milliseconds(0.102035), clockOffset: .milliseconds(249.6),
          clockSkew: 4.915291507653634e-06, tempo: .bpm(750.6943923128895), meter: Meter("3/4") ?? .common,
          relocation: .roll),
        [
          .at(1.5, .peersJoin(1, nil)),
          .at(4.0, .ownerTakes(.truthful, beatsPerMinute: 750.6943923128895, ticksPerBeat: 1920.0, lead: 0)),
          .at(8.0, .peerStarts(in: .milliseconds(0.0))),
          .at(9.060112581, .clientLocates(frame: 0)),
        ], duration: .seconds(15))),
    Case(
      "A locate to where the transport was overtakes the relocation of a start",
      History(
        Setup(
          seed: 98391314, rules: .modernPipewire, period: 1024, skew: -2.2259012794693844e-05,
          jitter: .milliseconds(0.223552), clockOffset: .milliseconds(249.6),
          clockSkew: -2.6497149944798926e-06, tempo: .bpm(171.97052425214318), frameAlignment: .exact),
        [
          .at(1.5, .peersJoin(1, nil)),
          .at(4.0, .ownerTakes(.truthful, beatsPerMinute: 171.97052425214318, ticksPerBeat: 1920.0, lead: 0)),
          .at(8.0, .clientStarts),
          .at(8.03717461, .clientLocates(frame: 0)),
        ], duration: .seconds(12))),
    Case(
      "A start that rolls now is put on either side of its owner's change of tempo",
      History(
        Setup(
          seed: 98160669, rules: .pipewire, clockOffset: .milliseconds(249.6),
          clockSkew: 1.1846855521219414e-06, tempo: .bpm(148.89556713080725), meter: Meter("5/4") ?? .common,
          launch: .now, frameAlignment: .exact, relocation: .roll, discipline: .relocate),
        [
          .at(
            385.874880834,
            .peersJoin(
              2,
              .init(
                tempo: .bpm(110.60499086587117), shift: Beats(nanobeats: 2_296_963_644), isPlaying: false,
                tellsPlay: false))),
          .at(420.493633019, .ownerTakes(.truthful, beatsPerMinute: 176.0, ticksPerBeat: 960.0, lead: 768)),
          .at(472.276096318, .ownerTakes(.truthful, beatsPerMinute: 68.0, ticksPerBeat: 1920.0, lead: 0)),
          .at(472.289135089, .clientLocates(frame: 599)),
          .at(473.217448836, .ownerChangesTempo(to: 164.0)),
          .at(473.253598387, .clientStarts),
        ], duration: .seconds(478))),
    Case(
      "A tempo that is asked for while JACK renders and leads is not set when its owner gives the timebase up",
      History(
        Setup(
          seed: 98822073, rules: .modernPipewire, period: 512, skew: -5.928649226188376e-05,
          jitter: .milliseconds(0.083803), misses: .milliseconds(6179.000182),
          clockOffset: .milliseconds(249.6), clockSkew: 2.4207504973396345e-06,
          tempo: .bpm(146.87019612066857), relocation: .roll),
        [
          .at(51.921990344, .ownerTakes(.truthful, beatsPerMinute: 147.0, ticksPerBeat: 1920.0, lead: 1536)),
          .at(53.515422669, .freewheel(for: .milliseconds(342.621069))),
          .at(53.525348853, .command(.proposeTempo(.bpm(95.8379189115368)))),
          .at(54.936500536, .ownerReleases),
        ], duration: .seconds(59))),
    Case(
      "An owner gives the timebase up while JACK renders, and then a user asks for a tempo",
      History(
        Setup(
          seed: 98901252, period: 1024, rate: SampleRate(hertz: 44100.0) ?? .standard,
          jitter: .milliseconds(0.101822), tempo: .bpm(114.42302191200869), launch: .beat,
          frameAlignment: .exact),
        [
          .at(267.016548062, .serverDies(for: .milliseconds(390.47603))),
          .at(268.004302291, .ownerTakes(.truthful, beatsPerMinute: 189.0, ticksPerBeat: 960.0, lead: 3072)),
          .at(377.63232051, .freewheel(for: .milliseconds(762.069371))),
          .at(377.665047959, .ownerReleases),
          .at(377.685884989, .command(.proposeTempo(.bpm(103.6813802065333)))),
        ], duration: .seconds(382))),
    Case(
      "A deadline is missed in the very cycle in which a discipline relocates",
      History(
        Setup(
          seed: 97700073, rules: .pipewire, period: 64, jitter: .milliseconds(0.265836),
          misses: .milliseconds(1972.44745), clockOffset: .milliseconds(249.6),
          clockSkew: -3.8749078150973495e-06, tempo: .bpm(124.50664242937361), startStopSync: false,
          discipline: .relocate),
        [
          .at(73.22069965, .slowClient(needs: 20)),
          .at(75.438206541, .command(.start)),
          .at(120.682196626, .clientLocates(frame: 14_230_198)),
          .at(128.172875975, .peersJoin(2, nil)),
          .at(161.479085627, .machineSleeps(for: .milliseconds(7915.098452))),
          .at(429.021327095, .periodChanges(to: 512)),
          .at(453.390535081, .serverDies(for: .milliseconds(4766.073822))),
          .at(
            490.03112557,
            .peersJoin(
              1,
              .init(
                tempo: .bpm(144.2127426379395), shift: Beats(nanobeats: 2_621_682_825), isPlaying: true,
                tellsPlay: true))),
          .at(519.107706391, .clientStarts),
          .at(533.601420157, .slowClient(needs: nil)),
        ], duration: .seconds(555))),
    Case(
      "On PipeWire cycles become shorter just as an owner comes: what is read is less old than before",
      History(
        Setup(
          seed: 97402750, rules: .pipewire, jitter: .milliseconds(0.084194),
          clockOffset: .milliseconds(249.6), clockSkew: 2.0012439873995437e-06, tempo: .bpm(85.1270308117288),
          meter: Meter("6/8") ?? .common, launch: .beat, frameAlignment: .exact, mode: .jack),
        [
          .at(32.761274819, .clientStarts),
          .at(
            55.147313539,
            .peersJoin(
              1,
              .init(
                tempo: .bpm(146.9363765489543), shift: Beats(nanobeats: 10_824_731_820), isPlaying: true,
                tellsPlay: true))),
          .at(82.424327219, .slowClient(needs: 8)),
          .at(119.127962682, .peerStops),
          .at(123.731964704, .clientStarts),
          .at(145.788215302, .ownerTakes(.truthful, beatsPerMinute: 119.0, ticksPerBeat: 960.0, lead: 0)),
          .at(145.84242593, .periodChanges(to: 128)),
        ], duration: .seconds(149))),
    Case(
      "an owner takes the timebase as a start is held, and it is taken back: the start keeps its bar",
      History(
        Setup(
          seed: 96121083, period: 128, jitter: .milliseconds(0.024099), tempo: .bpm(156.65837247616835),
          meter: Meter("3/4") ?? .common, frameAlignment: .off, takeover: .retake),
        [
          .at(0.0, .clientStarts),
          .at(22.378111811, .command(.locate(0))),
          .at(
            31.510789953,
            .peersJoin(
              1,
              .init(
                tempo: .bpm(168.8552179076587), shift: Beats(nanobeats: 7_395_460_218), isPlaying: false,
                tellsPlay: false))),
          .at(
            75.671551193,
            .peersJoin(
              3,
              .init(
                tempo: .bpm(183.97740757434988), shift: Beats(nanobeats: 14_541_256_680), isPlaying: true,
                tellsPlay: false))),
          .at(143.228926938, .command(.proposeTempo(.bpm(74.16646167880731)))),
          .at(184.260323445, .peersLeave(100)),
          .at(280.439650674, .command(.proposeTempo(.bpm(198.7031308989992)))),
          .at(280.484174897, .clientLocates(frame: 0)),
          .at(293.514036873, .peersJoin(1, nil)),
          .at(335.282766126, .stall(.milliseconds(4.512814), isNoticed: true)),
          .at(410.984988088, .peersJoin(2, nil)),
          .at(413.670702174, .clientLocates(frame: 1337)),
          .at(413.709198413, .ownerTakes(.truthful, beatsPerMinute: 172.0, ticksPerBeat: 1920000.0, lead: 0)),
        ], duration: .seconds(417))),
    Case(
      "an owner changes its tempo and back within 32 ms as it rolls: nobody can have measured it",
      History(
        Setup(
          seed: 96332642, period: 1024, rate: SampleRate(hertz: 96000.0) ?? .standard,
          skew: -8.274461234339215e-06, jitter: .milliseconds(0.274778), tempo: .bpm(178.39515716613346),
          meter: Meter("5/4") ?? .common, launch: .now, discipline: .relocate),
        [
          .at(73.111183957, .clientStarts),
          .at(76.452077086, .ownerTakes(.truthful, beatsPerMinute: 104.0, ticksPerBeat: 960.0, lead: 0)),
          .at(
            76.479152421,
            .peersJoin(
              2,
              .init(
                tempo: .bpm(160.07256623002428), shift: Beats(nanobeats: 11_943_734_297), isPlaying: false,
                tellsPlay: false))),
          .at(91.672738344, .ownerChangesTempo(to: 195.0)),
          .at(91.70482666, .ownerChangesTempo(to: 104.0)),
        ], duration: .seconds(120))),
    Case(
      "a loop on the timebase of an owner whose map has another tempo there is planned twice, and taken back: to where somebody had located",
      History(
        Setup(
          seed: 95302994, period: 1024, skew: -4.8646515879799804e-05, jitter: .milliseconds(0.099696),
          tempo: .bpm(147.04296595465195), meter: Meter("3/4") ?? .common),
        [
          .at(387.916042664, .slowClient(needs: 3)),
          .at(388.004298831, .clientStarts),
          .at(
            389.309982904, .ownerTakes(.liesAboutTempo, beatsPerMinute: 80.0, ticksPerBeat: 960.0, lead: 0)),
          .at(400.63408383, .clientLocates(frame: 0)),
          .at(436.50574242, .peersJoin(3, nil)),
          .at(437.450570762, .ownerChangesTempo(to: 186.0)),
          .at(480.392284116, .clientLoops(by: Beats(nanobeats: 3_000_000_000))),
          .at(495.988297049, .slowClient(needs: nil)),
          .at(496.007042485, .clientLocates(frame: 276)),
          .at(517.377047036, .clientStops),
        ], duration: .seconds(521))),
    Case(
      "a session is joined, and has a tempo thirteen times as fast 16 ms later: its press of ten seconds before looks like one of just now",
      History(
        Setup(
          seed: 91700479, jitter: .milliseconds(0.281961), tempo: .bpm(77.99663054556044),
          quantum: Quantum(beats: 8.0) ?? Quantum(barOf: .common), meter: Meter("3/4") ?? .common, mode: .link
        ),
        [
          .at(134.324417825, .clientStarts),
          .at(161.954372834, .peersJoin(3, nil)),
          .at(162.809668101, .networkChanges(delay: 60.0, loss: 1000)),
          .at(208.949023567, .peerStops),
          .at(
            254.967713898,
            .peersJoin(
              3,
              .init(
                tempo: .bpm(68.54706498604496), shift: Beats(nanobeats: 4_158_811_990), isPlaying: true,
                tellsPlay: true))),
          .at(254.98364566, .peerChangesTempo(to: .bpm(910.1527539705414))),
        ], duration: .seconds(258))),
    Case(
      "a peer and a user set tempos that cross on a bad network: one of the two is the later on both sides",
      History(
        Setup(seed: 91572797, period: 64, tempo: .bpm(182.62338492443956), meter: Meter("6/8") ?? .common),
        [
          .at(0.0, .clientStarts),
          .at(25.941383061, .clientStops),
          .at(48.873312574, .clientStarts),
          .at(48.904753943, .serverDies(for: .milliseconds(2752.52608))),
          .at(83.234227279, .clientStarts),
          .at(
            84.280627652,
            .peersJoin(
              1,
              .init(
                tempo: .bpm(144.62117687893038), shift: Beats(nanobeats: 11_495_054_486), isPlaying: false,
                tellsPlay: false))),
          .at(87.480286141, .networkChanges(delay: 3.0, loss: 3)),
          .at(87.519856816, .peerChangesTempo(to: .bpm(72.1325507753047))),
          .at(129.644564995, .clientStops),
          .at(129.655834864, .peerChangesTempo(to: .bpm(137.84357511096408))),
          .at(129.815000789, .command(.proposeTempo(.bpm(835.421888053467)))),
          .at(129.858693636, .networkChanges(delay: 3.0, loss: 1000)),
          .at(211.159153457, .peerStarts(in: .milliseconds(0.0))),
          .at(239.513321278, .peersJoin(3, nil)),
          .at(241.906778913, .peerStarts(in: .milliseconds(280.980738))),
        ], duration: .seconds(248))),
    Case(
      "an owner's tempo differs from the session's, as was told, before and after a render in which it does not",
      History(
        Setup(
          seed: 92260561, rules: .pipewire, period: 512, jitter: .milliseconds(0.296953),
          clockOffset: .milliseconds(249.6), clockSkew: 3.8014914131550185e-06, hasLatency: false,
          tempo: .bpm(910.3875216217036), launch: .now, frameAlignment: .exact),
        [
          .at(235.45479758, .ownerTakes(.truthful, beatsPerMinute: 170.0, ticksPerBeat: 1920.0, lead: 0)),
          .at(236.280457551, .peersJoin(2, nil)),
          .at(276.539672802, .clientStarts),
          .at(297.992014869, .clientLocates(frame: 4_293_092_136)),
          .at(335.662912076, .ownerChangesTempo(to: 188.0)),
          .at(336.570458231, .bridgeEnds(for: .milliseconds(4830.332046))),
          .at(343.775607563, .peerStops),
          .at(350.121086693, .clientLocates(frame: 4_294_246_876)),
          .at(457.621735052, .command(.start)),
          .at(462.717112921, .freewheel(for: .milliseconds(846.929019))),
        ], duration: .seconds(492))),
    Case(
      "an owner whose tempo glides from the first frame of its first roll stops within the glide",
      History(
        Setup(
          seed: 201588, period: 4096, skew: 4.808349735208659e-05, hasLatency: false,
          tempo: .bpm(124.49501708694109), meter: Meter("5/4") ?? .common, relocation: .roll,
          discipline: .relocate),
        [
          .at(1.5, .peersJoin(1, nil)),
          .at(
            4.0, .ownerTakes(.truthful, beatsPerMinute: 124.49501708694109, ticksPerBeat: 1920.0, lead: 0)),
          .at(45.418546629, .ownerGlides(to: 154.0, over: .milliseconds(4436.713315))),
          .at(112.599380321, .clientLocates(frame: 1284)),
          .at(112.647544483, .clientStarts),
          .at(116.654643548, .clientStops),
        ], duration: .seconds(140))),
    Case(
      "an owner's tempo glides while deadlines that were missed leave the time in doubt",
      History(
        Setup(
          seed: 201665, period: 2048, skew: -7.830937824501016e-06, jitter: .milliseconds(0.030145),
          misses: .milliseconds(4273.137784), hasLatency: false, tempo: .bpm(69.97321192203584), launch: .now,
          frameAlignment: .exact, hasOtherBridge: true),
        [
          .at(25.623315149, .periodChanges(to: 512)),
          .at(
            129.141995144, .ownerTakes(.truthful, beatsPerMinute: 84.0, ticksPerBeat: 960.0, lead: 6144)),
          .at(130.164150616, .ownerChangesMeter(to: Meter("5/8") ?? .common, afterBars: 10)),
          .at(165.206128806, .clientStarts),
          .at(
            229.221964585,
            .peersJoin(
              3,
              .init(
                tempo: .bpm(114.82594300805695), shift: Beats(nanobeats: 4_172_790_766), isPlaying: false,
                tellsPlay: false))),
          .at(229.244818873, .slowClient(needs: nil)),
          .at(229.263826423, .clientStops),
          .at(231.209254127, .clientStarts),
          .at(257.209254127, .ownerGlides(to: 178.0, over: .milliseconds(5566.54541))),
        ], duration: .seconds(280))),
    Case(
      "an ahead position waits at half of the time that a late notice of a stall adds to a cycle",
      History(
        Setup(
          seed: 200329, period: 4096, misses: .milliseconds(8654.320702), tempo: .bpm(199.63134744505146),
          mode: .link, relocation: .roll, discipline: .relocate, hasOtherBridge: true),
        [
          .at(11.653096367, .clientStarts),
          .at(30.996251088, .periodChanges(to: 512)),
          .at(31.023530003, .stall(.milliseconds(83.938948), isNoticed: false)),
        ], duration: .seconds(40))),
    Case(
      "Alone, a start goes on in the bar where it rests, also where its first cycle is missed",
      History(
        Setup(
          seed: 1608267, rules: .pipewire, period: 512, rate: SampleRate(hertz: 96_000) ?? .standard,
          jitter: .milliseconds(0.130383), misses: .milliseconds(1396.521375),
          clockOffset: .milliseconds(249.6), clockSkew: 4.240776601004999e-06,
          tempo: .bpm(199.05118933085626),
          quantum: Quantum(beats: 2), frameAlignment: .exact),
        [
          .at(163.568868852, .periodChanges(to: 128)),
          .at(192.598115004, .ownerTakes(.truthful, beatsPerMinute: 93, ticksPerBeat: 1920, lead: 0)),
          .at(194.011524358, .clientStarts),
          .at(348.018253372, .ownerReleases),
          .at(354.526337556, .command(.foundSession(.bpm(145.86296174743828)))),
          .at(447.428382552, .clientStops),
          .at(447.473453551, .clientStarts),
        ], duration: .seconds(450))),
    Case(
      "A peer that comes as the last one leaves does not replace the tempo where JACK began to roll in between",
      History(
        Setup(
          seed: 1227, rules: .modernPipewire, jitter: .milliseconds(0.235802),
          clockOffset: .milliseconds(249.6), clockSkew: 1.1735485737591634e-06,
          tempo: .bpm(140.69083891602398), meter: Meter("5/4") ?? .common, mode: .link, relocation: .roll),
        [
          .at(
            0.344140508,
            .peersJoin(
              1,
              .init(
                tempo: .bpm(175.12981497535048), shift: Beats(nanobeats: 7103859281), isPlaying: false,
                tellsPlay: false))),
          .at(9.16476451, .peersLeave(100)),
          .at(9.180199146, .clientStarts),
          .at(
            9.534008348,
            .peersJoin(
              1,
              .init(
                tempo: .bpm(195.3722818831283), shift: Beats(nanobeats: 13869304772), isPlaying: false,
                tellsPlay: false))),
        ], duration: .seconds(10.03736525))),
    Case(
      "A peer that has pressed play for a time after the bridge joins is followed when another bridge repeats the press",
      History(
        Setup(
          seed: 20228, skew: 5.879897210202272e-05, jitter: .milliseconds(0.139823),
          tempo: .bpm(96.65041865739681), launch: .now, frameAlignment: .exact, mode: .link,
          hasOtherBridge: true),
        [
          .at(
            0.184328576,
            .peersJoin(
              1,
              .init(
                tempo: .bpm(64.84719838487244), shift: Beats(nanobeats: 15748649431), isPlaying: true,
                tellsPlay: false))),
          .at(111.231459995, .bridgeEnds(for: .milliseconds(3828.776929))),
          .at(115.050088992, .peerStarts(in: .milliseconds(1401.517245))),
        ], duration: .seconds(116.40923768))),
    Case(
      "A bridge that ends has not heard the meters of an owner's song before it came back",
      History(
        Setup(
          seed: 5177, period: 1024, skew: -5.9330332197425434e-05, jitter: .milliseconds(0.038604),
          tempo: .bpm(149.89806931286725), meter: Meter("6/8") ?? .common, launch: .beat, mode: .jack,
          relocation: .roll),
        [
          .at(153.84029407, .clientStarts),
          .at(277.885032362, .clientLoops(by: Beats(nanobeats: 4500000000))),
          .at(321.902655729, .ownerTakes(.truthful, beatsPerMinute: 125.0, ticksPerBeat: 960.0, lead: 0)),
          .at(325.708954709, .ownerChangesMeter(to: Meter("5/4") ?? .common, afterBars: 9)),
          .at(405.590794701, .bridgeEnds(for: .milliseconds(3396.255882))),
        ], duration: .seconds(433.988415403))),
    Case(
      "An owner that goes in the first cycle of a glide leaves the tempo that it had before",
      History(
        Setup(
          seed: 200913, period: 1024, rate: SampleRate(hertz: 44100.0) ?? .standard,
          tempo: .bpm(127.03789964005928), meter: Meter("3/4") ?? .common, mode: .link, takeover: .follow),
        [
          .at(300.58017942, .periodChanges(to: 128)),
          .at(340.153158464, .command(.start)),
          .at(449.835724205, .ownerTakes(.truthful, beatsPerMinute: 74.0, ticksPerBeat: 1920.0, lead: 0)),
          .at(493.181007488, .clientStops),
          .at(533.124429118, .ownerGlides(to: 126.0, over: .milliseconds(4100.199683))),
          .at(570.237724516, .clientStarts),
          .at(570.246182335, .ownerReleases),
        ], duration: .seconds(574.275918368))),
    Case(
      "A bridge that comes back to PipeWire has said nothing of the timebase yet",
      History(
        Setup(
          seed: 1518, rules: .modernPipewire, period: 512, jitter: .milliseconds(0.14231),
          misses: .milliseconds(3121.381532), clockOffset: .milliseconds(249.6),
          clockSkew: 3.8174934521672645e-07, tempo: .bpm(163.3786709145121), frameAlignment: .exact,
          mode: .link, hasOtherBridge: true),
        [
          .at(13.145176899, .clientStarts),
          .at(16.692699265, .command(.select(.jack))),
          .at(149.433047987, .command(.stop)),
          .at(153.471130446, .command(.locate(0))),
          .at(204.896570385, .clientStarts),
          .at(204.944866585, .bridgeEnds(for: .milliseconds(4546.35941))),
        ], duration: .seconds(209.529616929))),
  ]
}
