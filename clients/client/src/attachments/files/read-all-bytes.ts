/**
 * Reads all bytes into memory.
 *
 * @throws the error of the stream, which `Response` would replace with a network error
 */
export async function readAllBytes(bytes: Blob | ReadableStream<Uint8Array>): Promise<ArrayBuffer> {
  if (bytes instanceof Blob) return bytes.arrayBuffer()
  const pieces: BlobPart[] = []
  const reader = bytes.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return new Blob(pieces).arrayBuffer()
    pieces.push(value as Uint8Array<ArrayBuffer>)
  }
}
