/** The length of a UUID as text. */
const UUID_LENGTH = 36

/**
 * Finds the markers in a line of the stream, each of them the prefix followed by a UUID. A line contains all operations of one bucket, so several writes in
 * quick succession arrive in one line.
 */
export function markersIn(line: Buffer, prefix: string): string[] {
  const markers: string[] = []
  for (let at = line.indexOf(prefix, 0, 'latin1'); at >= 0; at = line.indexOf(prefix, at + 1, 'latin1'))
    markers.push(line.toString('latin1', at, at + prefix.length + UUID_LENGTH))
  return markers
}
