/** The browser's own reader of barcodes and QR codes: https://wicg.github.io/shape-detection-api/#barcode-detection-api */
interface Detector {
  detect(source: ImageBitmap): Promise<readonly { readonly rawValue: string }[]>
}

declare global {
  interface Window {
    readonly BarcodeDetector?: {
      new (): Detector
      getSupportedFormats(): Promise<readonly string[]>
    }
  }
}

/** Reads barcodes and QR codes; one picture after the other. */
export interface CodeReader {
  /**
   * @param image - a bitmap is closed afterwards
   * @returns what the first code in it says; `undefined` when there is none
   * @throws {NoPicture} and an error when the reader failed
   */
  read(image: ImageBitmap | Blob): Promise<string | undefined>
  close(): void
}

/** The file is no picture that this browser can show. */
export class NoPicture extends Error {}

export interface DecodeQuestion {
  readonly image: ImageBitmap | Blob
}

/** What the worker says: once that it is ready, then to each question. `failed`: it can do nothing more. */
export type DecodeAnswer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'read'; readonly text: string | undefined }
  | { readonly kind: 'no_picture' }
  | { readonly kind: 'failed' }

/**
 * The browser's own reader; in a worker ours where it has none, as Firefox, Safari and Chromium on Linux. Ours is kept on the device by the service worker.
 *
 * @throws when it could not be loaded, or `signal` was aborted
 */
export async function openCodeReader(signal: AbortSignal): Promise<CodeReader> {
  const formats = (await window.BarcodeDetector?.getSupportedFormats()) ?? []
  signal.throwIfAborted()
  return window.BarcodeDetector && formats.includes('qr_code')
    ? nativeReader(new window.BarcodeDetector())
    : openWorker(signal)
}

function nativeReader(detector: Detector): CodeReader {
  return {
    async read(image) {
      const bitmap = image instanceof Blob ? await createImageBitmap(image).catch(() => undefined) : image
      if (!bitmap) throw new NoPicture()
      try {
        const found = await detector.detect(bitmap)
        return found.find(({ rawValue }) => rawValue !== '')?.rawValue
      } finally {
        bitmap.close()
      }
    },
    close: () => undefined,
  }
}

async function openWorker(signal: AbortSignal): Promise<CodeReader> {
  const worker = new Worker(new URL('./decode.worker.ts', import.meta.url), { type: 'module' })
  let waiting = Promise.withResolvers<DecodeAnswer>()
  worker.addEventListener('message', ({ data }: MessageEvent<DecodeAnswer>) => waiting.resolve(data))
  worker.addEventListener('error', (event) => {
    event.preventDefault() // it is told where the answer is awaited
    waiting.resolve({ kind: 'failed' })
  })
  const close = (): void => {
    worker.terminate()
    waiting.resolve({ kind: 'failed' })
  }
  signal.addEventListener('abort', close, { once: true })
  const { kind } = await waiting.promise
  if (kind !== 'ready') {
    close()
    throw new Error('The reader of codes could not be loaded.')
  }
  return {
    async read(image) {
      waiting = Promise.withResolvers()
      worker.postMessage({ image } satisfies DecodeQuestion, image instanceof ImageBitmap ? [image] : [])
      const answer = await waiting.promise
      if (answer.kind === 'read') return answer.text
      if (answer.kind === 'no_picture') throw new NoPicture()
      throw new Error('The reader of codes failed.')
    },
    close() {
      signal.removeEventListener('abort', close)
      close()
    },
  }
}
