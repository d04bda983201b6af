import { openCodeReader } from '../../../lib/codes/code-reader.ts'

/** Why the camera cannot read: permission denied, no camera, camera in use, or no decoder. */
export type ScanProblem = 'denied' | 'no_camera' | 'busy' | 'no_reader'

/** The scanner's phase: waiting for permission, loading the decoder, or scanning. */
export type ScanState = 'starting' | 'loading' | 'looking'

export class ScanError extends Error {
  readonly problem: ScanProblem

  constructor(problem: ScanProblem) {
    super(`Nothing can be scanned: ${problem}`)
    this.problem = problem
  }
}

/** Interval in ms between scans: fast enough for the user, light on the battery. */
const LOOK_MS = 200
/** Resolution in pixels, sufficient for a label held close. A higher one only slows decoding. */
const CAMERA: MediaTrackConstraints = { facingMode: 'environment', width: { ideal: 1280 }, height: { ideal: 720 } }

/**
 * Shows the camera and reads the first label in view. Always turns the camera off at the end.
 *
 * @returns the label's text
 * @throws {ScanError} and the abort reason of `signal`
 */
export async function scanLabel(
  video: HTMLVideoElement,
  signal: AbortSignal,
  onState: (state: ScanState) => void,
): Promise<string> {
  const end = new AbortController()
  const over = AbortSignal.any([signal, end.signal])
  // The decoder loads while the browser asks for permission.
  const loading = openCodeReader(over).catch((error: unknown) => {
    over.throwIfAborted()
    console.info('The reader of codes could not be opened.', error)
    throw new ScanError('no_reader')
  })
  loading.catch(() => undefined) // awaited below, unless the camera fails first
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
  // Browsers offer no camera to pages without TLS.
  if (!('mediaDevices' in navigator)) throw new ScanError('no_camera')
  try {
    return await navigator.mediaDevices.getUserMedia({ video: CAMERA })
  } catch (error) {
    console.info('The camera could not be opened.', error)
    throw new ScanError(problemOf(error))
  }
}

/** Maps the error names of https://w3c.github.io/mediacapture-main/#dom-mediadevices-getusermedia */
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
 * @returns `undefined` if the photo has no code
 * @throws {NoPicture}, {ScanError} and the abort reason of `signal`
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
