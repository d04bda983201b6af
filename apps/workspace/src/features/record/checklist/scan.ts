/** The browser's own reader of barcodes and QR codes: https://wicg.github.io/shape-detection-api/#barcode-detection-api */
interface Detector {
  detect(source: HTMLVideoElement): Promise<readonly { readonly rawValue: string }[]>
}

declare global {
  interface Window {
    readonly BarcodeDetector?: new () => Detector
  }
}

/** Whether this browser reads labels with its camera. Where it does not, they are typed. */
export function canScan(): boolean {
  return window.BarcodeDetector !== undefined && 'mediaDevices' in navigator
}

/** Between two looks at the camera's picture: quick for a hand, cheap for a battery. Milliseconds. */
const LOOK_MS = 200

/**
 * Shows the camera and reads the first label that comes into its sight.
 *
 * @returns ends it, and switches the camera off
 * @throws DOMException when there is no camera or the person does not allow it
 */
export async function scanInto(video: HTMLVideoElement, onRead: (text: string) => void): Promise<() => void> {
  if (!window.BarcodeDetector) throw new DOMException('This browser reads no barcodes.', 'NotSupportedError')
  const detector = new window.BarcodeDetector()
  const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } })
  let isOver = false
  const stop = (): void => {
    isOver = true
    for (const track of stream.getTracks()) track.stop()
  }
  try {
    video.srcObject = stream
    await video.play()
  } catch (error) {
    stop()
    throw error
  }
  const look = async (): Promise<void> => {
    if (isOver) return
    // A picture that is not there yet cannot be read: the next one is.
    const [found] = await detector.detect(video).catch(() => [])
    if (isOver) return
    if (found && found.rawValue !== '') {
      stop()
      onRead(found.rawValue)
      return
    }
    setTimeout(() => void look(), LOOK_MS)
  }
  void look()
  return stop
}
