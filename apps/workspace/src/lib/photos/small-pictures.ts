/** Small pictures kept in memory, a few kilobytes each. */
const PICTURES_MAX = 400
/** Made at once: a phone has no memory for many decoded pictures. */
const MAKING_MAX = 2

/** Addresses by key, least recently used first. Each is made once per page. */
const pictures = new Map<string, Promise<string | undefined>>()
const waiting: (() => void)[] = []
let making = 0

/**
 * The address of a small picture.
 *
 * @param key - the same for the same picture
 * @param make - `undefined`: there is none, and none will be; what it throws is not kept
 */
export function smallPicture(key: string, make: () => Promise<Blob | undefined>): Promise<string | undefined> {
  const known = pictures.get(key)
  const made = known ?? inTurn(make).then((blob) => blob && URL.createObjectURL(blob))
  pictures.delete(key)
  pictures.set(key, made)
  if (!known) made.catch(() => pictures.delete(key))
  void forgetOldest()
  return made
}

/** The address of a small picture that was made before, without making it. */
export async function findPicture(key: string): Promise<string | undefined> {
  return pictures.get(key)
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
    const url = await made.catch(() => undefined)
    if (url !== undefined) URL.revokeObjectURL(url)
  }
}
