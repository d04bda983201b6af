/** The length of a UUID as text. */
const UUID_LENGTH = 36

/**
 * The markers that a line of the stream carries: the prefix with the UUID behind it. One line brings all operations of one bucket, so that writes which follow
 * each other closely come in one.
 */
export function markersIn(line: Buffer, prefix: string): string[] {
  const markers: string[] = []
  for (let at = line.indexOf(prefix, 0, 'latin1'); at >= 0; at = line.indexOf(prefix, at + 1, 'latin1'))
    markers.push(line.toString('latin1', at, at + prefix.length + UUID_LENGTH))
  return markers
}
