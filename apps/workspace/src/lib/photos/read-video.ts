import { drawSquare } from './prepare-photo.ts'

/** Timeout in ms for reading a video: a phone's decoder may be busy. */
const PATIENCE_MS = 15_000
/** Poster position in seconds, because first frames are often black or blurred. */
const POSTER_AT = 1
/** Position in seconds beyond any video, which makes browsers determine the end. */
const BEYOND = 1e7

export interface VideoFacts {
  readonly width: number
  readonly height: number
  /** `undefined` if the browser cannot determine the duration. */
  readonly seconds: number | undefined
}

/** Reads a video's properties, letting the browser read only the needed bytes. @returns `undefined` if it cannot be played */
export async function readVideo(source: Blob): Promise<VideoFacts | undefined> {
  return withVideo(source, async (video) => ({ ...sizeOf(video), seconds: await secondsOf(video) }))
}

/** Creates a square thumbnail of `side` pixels from a video frame. @returns `undefined` if it cannot be played */
export async function makePoster(
  source: Blob,
  side: number,
): Promise<{ readonly blob: Blob; readonly seconds: number | undefined } | undefined> {
  return withVideo(source, async (video) => {
    const seconds = await secondsOf(video)
    await seek(video, Math.min(POSTER_AT, (seconds ?? 0) / 2))
    return { blob: await drawSquare(video, sizeOf(video), side), seconds }
  })
}

const sizeOf = (video: HTMLVideoElement): { readonly width: number; readonly height: number } => ({
  width: video.videoWidth,
  height: video.videoHeight,
})

/** Determines the duration, which browser recordings lack until the end is reached. */
async function secondsOf(video: HTMLVideoElement): Promise<number | undefined> {
  if (video.duration === Number.POSITIVE_INFINITY) await seek(video, BEYOND)
  return Number.isFinite(video.duration) ? video.duration : undefined
}

async function seek(video: HTMLVideoElement, seconds: number): Promise<void> {
  const isThere = happens(video, 'seeked')
  video.currentTime = seconds
  await isThere
}

/** Lets the browser read from the file on demand, without copying it into memory. */
async function withVideo<T>(source: Blob, work: (video: HTMLVideoElement) => Promise<T>): Promise<T | undefined> {
  const url = URL.createObjectURL(source)
  const video = document.createElement('video')
  video.muted = true
  video.playsInline = true
  video.preload = 'auto'
  try {
    const isKnown = happens(video, 'loadedmetadata')
    video.src = url
    await isKnown
    // Audio in a video container has no picture.
    return video.videoWidth === 0 ? undefined : await work(video)
  } catch (error) {
    console.info('A video could not be read.', error)
    return undefined
  } finally {
    // Releases the decoder immediately, because phones have few.
    video.removeAttribute('src')
    video.load()
    URL.revokeObjectURL(url)
  }
}

async function happens(video: HTMLVideoElement, name: 'loadedmetadata' | 'seeked'): Promise<void> {
  const signal = AbortSignal.timeout(PATIENCE_MS)
  await new Promise<void>((resolve, reject) => {
    video.addEventListener(name, () => resolve(), { once: true, signal })
    video.addEventListener('error', () => reject(new Error(video.error?.message ?? 'This browser does not play it.')), {
      once: true,
      signal,
    })
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
}
