/** Bytes per encrypted piece. */
const PIECE = 1 << 20
/** Bytes that AES-GCM adds to a piece. */
const TAG = 16

/** The sealed bytes are incomplete or were changed. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken'

  constructor(cause?: unknown) {
    super('The locked data of this account is damaged and cannot be opened.', { cause })
  }
}

/**
 * Encrypts a file piece by piece. A content key is used for one sealing only; `file` is unique in it, so that no initialization vector repeats.
 */
export function sealed(bytes: Blob, key: CryptoKey, file: number): ReadableStream<Uint8Array> {
  return pieces(bytes, PIECE, (piece, at, isLast) => crypto.subtle.encrypt(vectorOf(file, at, isLast), key, piece))
}

/** Decrypts what {@link sealed} wrote. The stream fails with {@link SealBroken}. */
export function unsealed(bytes: Blob, key: CryptoKey, file: number): ReadableStream<Uint8Array> {
  return pieces(bytes, PIECE + TAG, async (piece, at, isLast) => {
    try {
      return await crypto.subtle.decrypt(vectorOf(file, at, isLast), key, piece)
    } catch (error) {
      throw new SealBroken(error)
    }
  })
}

/** The last piece is marked, so that a truncated file does not decrypt. */
function vectorOf(file: number, piece: number, isLast: boolean): AesGcmParams {
  const view = new DataView(new ArrayBuffer(12))
  view.setUint32(0, file)
  view.setUint32(4, piece)
  view.setUint32(8, isLast ? 1 : 0)
  return { name: 'AES-GCM', iv: view.buffer }
}

/** Even an empty file has one piece. */
function pieces(
  bytes: Blob,
  size: number,
  change: (piece: ArrayBuffer, at: number, isLast: boolean) => Promise<ArrayBuffer>,
): ReadableStream<Uint8Array> {
  const count = Math.max(1, Math.ceil(bytes.size / size))
  let at = 0
  return new ReadableStream({
    async pull(controller) {
      const piece = await bytes.slice(at * size, (at + 1) * size).arrayBuffer()
      controller.enqueue(new Uint8Array(await change(piece, at, at === count - 1)))
      at += 1
      if (at === count) controller.close()
    },
  })
}
