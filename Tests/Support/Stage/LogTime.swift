extension String {
  /// A line of a log without the local time that it begins with where standard error is a file or a pipe.
  public var withoutTime: String {
    let time = #/^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3} /#
    return (try? time.prefixMatch(in: self)).flatMap(\.self).map { String(self[$0.range.upperBound...]) }
      ?? self
  }
}
