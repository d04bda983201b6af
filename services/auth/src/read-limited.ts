import { PROVIDER_RESPONSE_BYTES_MAX } from './limits.ts'

/** Reads a response body from another service. @throws {Error} if it exceeds the size limit */
export async function readLimited(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  if (response.body !== null) {
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      bytes += chunk.length
      if (bytes > PROVIDER_RESPONSE_BYTES_MAX) throw new Error(`${response.url} answered with too much`)
      chunks.push(chunk)
    }
  }
  return new Uint8Array(Buffer.concat(chunks))
}

/** Like {@link readLimited}, for JSON. @throws {Error} also for invalid JSON */
export async function readLimitedJson(response: Response): Promise<unknown> {
  return JSON.parse(new TextDecoder().decode(await readLimited(response)))
}
