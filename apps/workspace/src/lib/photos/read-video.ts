import { drawSquare } from './prepare-photo.ts'

/** A browser that has not answered after so long does not play it, in milliseconds: on a phone the decoder may be busy. */
const PATIENCE_MS = 15_000
/** The first frame is often black or still blurred: the poster is of a moment a little later, in seconds. */
const POSTER_AT = 1
/** Beyond the end of every video, in seconds: a browser then looks for the end. */
const BEYOND = 1e7

export interface VideoFacts {
  readonly width: number
  readonly height: number
  /** `undefined`: it has no end that this browser finds. */
  readonly seconds: number | undefined
}

/** How a video is, without reading more of its bytes than the browser needs. @returns `undefined` when this browser does not play it */
export async function readVideo(source: Blob): Promise<VideoFacts | undefined> {
  return withVideo(source, async (video) => ({ ...sizeOf(video), seconds: await secondsOf(video) }))
}

/** A frame of a video as a small picture of `side` pixels in a square. @returns `undefined` when this browser does not play it */
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

/** What a browser's recorder writes does not say how long it is: the browser finds out at the end. */
async function secondsOf(video: HTMLVideoElement): Promise<number | undefined> {
  if (video.duration === Number.POSITIVE_INFINITY) await seek(video, BEYOND)
  return Number.isFinite(video.duration) ? video.duration : undefined
}

async function seek(video: HTMLVideoElement, seconds: number): Promise<void> {
  const isThere = happens(video, 'seeked')
  video.currentTime = seconds
  await isThere
}

/** The browser reads from the file what it needs: the bytes are not copied into memory. */
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
    // A sound in a video's clothes has no picture.
    return video.videoWidth === 0 ? undefined : await work(video)
  } catch (error) {
    console.info('A video could not be read.', error)
    return undefined
  } finally {
    // The decoder is given back at once: a phone has few.
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
