import MusicalTime

/// Where the bars are that clients read, as the manual says: a meter that is chosen while JACK rolls begins with a bar,
/// and bars are counted on from there.
struct CountedBars {
  /// A part of the song in one meter: where it begins, and how many bars come before.
  private struct Part {
    var meter: Meter
    var origin = BeatTime.zero
    var bars: Int64 = 0

    func position(_ bar: Int64) -> BeatTime {
      origin + Beats(nanobeats: (bar - bars) * meter.barLength.nanobeats)
    }
  }

  private var parts: [Part]
  /// Whether bars may begin elsewhere than their numbers say, because they were to begin where a quantum does.
  private(set) var isLoose = false
  /// Whether bars of another meter have followed since, so that the place in the bar says nothing either.
  private(set) var isLost = false

  init(_ meter: Meter) { parts = [Part(meter: meter)] }

  /// The meter of the last part.
  var meter: Meter { parts[parts.count - 1].meter }

  /// Where a bar, beat and tick is.
  func position(_ place: BarBeatTick) -> BeatTime {
    let bar = Int64(place.bar) - 1
    let part = parts.last { $0.meter == place.meter && $0.bars <= bar } ?? parts[parts.count - 1]
    return part.position(bar) + inBar(place)
  }

  /// How far a place is in its bar.
  func inBar(_ place: BarBeatTick) -> Beats {
    place.position
      - BeatTime(sinceZero: Beats(nanobeats: (Int64(place.bar) - 1) * place.meter.barLength.nanobeats))
  }

  /// Whether bars of another meter have come before, so that they need not begin where the quantum does.
  var isApart: Bool {
    let part = parts[parts.count - 1]
    return part.origin.sinceZero.nanobeats % part.meter.barLength.nanobeats != 0
  }

  /// Bars begin where the quantum does from here on, by a jump forward from `before` to Link's phase.
  ///
  /// That is less than a quantum, which may be longer than a bar.
  mutating func rejoin(
    _ place: BarBeatTick, after before: BarBeatTick, with link: BeatTime, _ quantum: Quantum
  ) {
    let length = meter.barLength.nanobeats
    let last = position(before)
    let way = inBar(place).nanobeats - last.sinceZero.nanobeats % length
    let nearest = last + Beats(nanobeats: way < 0 ? way + length : way)
    let positions = (0...quantum.beats.nanobeats / length).map { nearest + Beats(nanobeats: $0 * length) }
    func error(_ position: BeatTime) -> Beats {
      position.phase(in: quantum).distance(from: link.phase(in: quantum)).magnitude
    }
    let position = positions.min { error($0) < error($1) } ?? nearest
    parts.append(Part(meter: meter, origin: position - inBar(place), bars: Int64(place.bar) - 1))
    parts = parts.suffix(4)
  }

  /// Bars begin where the quantum does from now on, whatever their numbers say.
  mutating func loosen() { (isLoose, isLost) = (true, false) }

  /// A position as it is counted from a bar line.
  func place(of position: BeatTime) -> BeatTime {
    BeatTime(sinceZero: position - parts[parts.count - 1].origin)
  }

  /// The next bar, beat and tick is in another meter from a bar line on, and not as far as `end`.
  ///
  /// That is the line of its bar. A jump forward may pass the line, and, where bars are shorter than before,
  /// the end of the first bar, too: then it is an earlier line, but none before the end of the bar that was
  /// read `last`. Of those it is the latest with which the place has `link`'s phase, or the latest of all.
  mutating func begin(
    with place: BarBeatTick, after last: Int32, before end: BeatTime, with link: BeatTime, _ quantum: Quantum
  ) {
    let (bar, part) = (Int64(place.bar) - 1, parts[parts.count - 1])
    let nearest = part.position(bar) + inBar(place)
    let shorter = (part.meter.barLength - place.meter.barLength).nanobeats
    let most = shorter > 0 ? max(0, bar - Int64(last)) : 0
    let possible = (0...most).filter { (nearest - end).nanobeats < $0 * shorter }
    let back = possible.first {
      let position = nearest - Beats(nanobeats: $0 * shorter)
      return position.phase(in: quantum).distance(from: link.phase(in: quantum)).magnitude
        < Simulation.shortestStep
    }
    let line = bar - (back ?? possible.first ?? 0)
    isLost = isLoose
    parts.append(Part(meter: place.meter, origin: part.position(line), bars: line))
    parts = parts.suffix(4)
  }

  /// All of the song is in one meter, as after a rest in which that was chosen, or a locate to before the part.
  mutating func restart(_ meter: Meter) { (parts, isLoose, isLost) = ([Part(meter: meter)], false, false) }

  /// A place before the last part, at which JACK does not roll, where frames put it near `nominal`.
  ///
  /// After a locate all of the song is in the meter of the last part, or bars are counted back from that part, as the
  /// manual says. A place that goes on from the place `before` is counted as it was.
  mutating func take(
    _ place: BarBeatTick, after before: BarBeatTick?, near nominal: BeatTime, _ quantum: Quantum
  ) {
    let (last, bar) = (parts[parts.count - 1], Int64(place.bar) - 1)
    if let before, place.meter == before.meter, (position(place) - position(before)).magnitude < .one {
      return
    }
    guard bar < last.bars, place.meter == last.meter else { return }
    let anew = (place.position - nominal).magnitude
    let back = (last.position(bar) + inBar(place) - nominal).magnitude
    let kept = (position(place) - nominal).magnitude
    if anew <= min(back, kept), anew <= quantum.beats {
      restart(place.meter)
    } else if back <= kept {
      parts = [last]
    }
  }
}
