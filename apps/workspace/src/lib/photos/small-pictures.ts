/** Thumbnails cached in memory, a few kilobytes each. */
const PICTURES_MAX = 400
/** Thumbnails made concurrently: a phone has no memory for many decoded images. */
const MAKING_MAX = 2

/** Source of a thumbnail. */
export interface MadePicture {
  readonly blob: Blob
  /** Duration of its video. */
  readonly seconds?: number | undefined
}

/** A displayable thumbnail. */
export interface SmallPicture {
  readonly url: string
  readonly seconds: number | undefined
}

/** Thumbnails by key, least recently used first. Each is made once per page. */
const pictures = new Map<string, Promise<SmallPicture | undefined>>()
const waiting: (() => void)[] = []
let making = 0

/**
 * Returns a cached or newly made thumbnail.
 *
 * @param key - identifies the thumbnail
 * @param make - returns `undefined` if there is none; errors are not cached
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

/** Not available offline, but possibly later. */
export class NotNow extends Error {
  override readonly name = 'NotNow'
}

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (making < MAKING_MAX) making++
  else await new Promise<void>((resolve) => waiting.push(resolve))
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next) next() // in its place
    else making--
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
