/** Small pictures kept in memory, a few kilobytes each. */
const PICTURES_MAX = 400
/** Made at once: a phone has no memory for many decoded pictures. */
const MAKING_MAX = 2

/** What a small picture is made of. */
export interface MadePicture {
  readonly blob: Blob
  /** How long the video is that it is a frame of. */
  readonly seconds?: number | undefined
}

/** A small picture that can be shown. */
export interface SmallPicture {
  readonly url: string
  readonly seconds: number | undefined
}

/** Pictures by key, least recently used first. Each is made once per page. */
const pictures = new Map<string, Promise<SmallPicture | undefined>>()
const waiting: (() => void)[] = []
let making = 0

/**
 * A small picture.
 *
 * @param key - the same for the same picture
 * @param make - `undefined`: there is none, and none will be; what it throws is not kept
 */
export function smallPicture(
  key: string,
  make: () => Promise<MadePicture | undefined>,
): Promise<SmallPicture | undefined> {
  const known = pictures.get(key)
  const made = known ?? inTurn(make).then((one) => one && { url: URL.createObjectURL(one.blob), seconds: one.seconds })
  pictures.delete(key)
  pictures.set(key, made)
  if (!known) made.catch(() => pictures.delete(key))
  void forgetOldest()
  return made
}

/** Without a network there is no picture, and may be one later. */
export class NotNow extends Error {
  override readonly name = 'NotNow'
}

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (making >= MAKING_MAX) await new Promise<void>((resolve) => waiting.push(resolve))
  making++
  try {
    return await work()
  } finally {
    making--
    waiting.shift()?.()
  }
}

async function forgetOldest(): Promise<void> {
  for (const [key, made] of pictures) {
    if (pictures.size <= PICTURES_MAX) return
    pictures.delete(key)
    const picture = await made.catch(() => undefined)
    if (picture) URL.revokeObjectURL(picture.url)
  }
}
