import { openCodeReader } from '../../../lib/codes/code-reader.ts'

/** Why the camera reads nothing: not allowed, none there, used by something else, or no reader for its pictures. */
export type ScanProblem = 'denied' | 'no_camera' | 'busy' | 'no_reader'

/** What the camera is at: the browser asks for it, the reader is being loaded, or it looks. */
export type ScanState = 'starting' | 'loading' | 'looking'

export class ScanError extends Error {
  readonly problem: ScanProblem

  constructor(problem: ScanProblem) {
    super(`Nothing can be scanned: ${problem}`)
    this.problem = problem
  }
}

/** Between two looks at the camera's picture: quick for a hand, cheap for a battery. Milliseconds. */
const LOOK_MS = 200
/** Enough for a label that is held before it; more only takes longer to read. Pixels. */
const CAMERA: MediaTrackConstraints = { facingMode: 'environment', width: { ideal: 1280 }, height: { ideal: 720 } }

/**
 * Shows the camera and reads the first label that comes into its sight. Whatever happens, the camera is off afterwards.
 *
 * @returns what the label says
 * @throws {ScanError} and what `signal` was aborted with
 */
export async function scanLabel(
  video: HTMLVideoElement,
  signal: AbortSignal,
  onState: (state: ScanState) => void,
): Promise<string> {
  const end = new AbortController()
  const over = AbortSignal.any([signal, end.signal])
  // The person is asked for the camera while the reader is loaded.
  const loading = openCodeReader(over).catch((error: unknown) => {
    over.throwIfAborted()
    console.info('The reader of codes could not be opened.', error)
    throw new ScanError('no_reader')
  })
  loading.catch(() => undefined) // it is awaited below, unless the camera fails first
  let stream: MediaStream | undefined
  try {
    onState('starting')
    stream = await openCamera()
    signal.throwIfAborted()
    video.srcObject = stream
    await video.play()
    onState('loading')
    const reader = await loading
    onState('looking')
    return await lookForLabel(video, stream, signal, reader.read)
  } finally {
    for (const track of stream?.getTracks() ?? []) track.stop()
    video.srcObject = null
    end.abort()
  }
}

async function openCamera(): Promise<MediaStream> {
  // Browsers have none for pages that came without TLS.
  if (!('mediaDevices' in navigator)) throw new ScanError('no_camera')
  try {
    return await navigator.mediaDevices.getUserMedia({ video: CAMERA })
  } catch (error) {
    console.info('The camera could not be opened.', error)
    throw new ScanError(problemOf(error))
  }
}

/** By the names of https://w3c.github.io/mediacapture-main/#dom-mediadevices-getusermedia */
function problemOf(error: unknown): ScanProblem {
  const name = error instanceof DOMException ? error.name : ''
  if (name === 'NotAllowedError' || name === 'SecurityError') return 'denied'
  return name === 'NotReadableError' || name === 'AbortError' ? 'busy' : 'no_camera'
}

async function lookForLabel(
  video: HTMLVideoElement,
  stream: MediaStream,
  signal: AbortSignal,
  read: (image: ImageBitmap) => Promise<string | undefined>,
): Promise<string> {
  for (;;) {
    signal.throwIfAborted()
    if (stream.getTracks().every(({ readyState }) => readyState === 'ended')) throw new ScanError('busy')
    if (video.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA) {
      // oxlint-disable-next-line no-await-in-loop -- a picture is read before the next one is taken
      const text = await read(await createImageBitmap(video))
      if (text !== undefined) return text
    }
    // oxlint-disable-next-line no-await-in-loop -- the same
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}

/**
 * Reads the label on a photo.
 *
 * @returns `undefined` when there is no code on it
 * @throws {NoPicture}, {ScanError} and what `signal` was aborted with
 */
export async function readLabelOn(photo: Blob, signal: AbortSignal): Promise<string | undefined> {
  const reader = await openCodeReader(signal).catch((error: unknown) => {
    signal.throwIfAborted()
    console.info('The reader of codes could not be opened.', error)
    throw new ScanError('no_reader')
  })
  try {
    return await reader.read(photo)
  } finally {
    reader.close()
  }
}
