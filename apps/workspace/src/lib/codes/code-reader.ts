/** The browser's barcode reader: https://wicg.github.io/shape-detection-api/#barcode-detection-api */
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

/** Reads barcodes and QR codes from one image at a time. */
export interface CodeReader {
  /**
   * @param image - a bitmap is closed afterwards
   * @returns the content of the first code; `undefined` if there is none
   * @throws {NoPicture}, or an error if the reader failed
   */
  read(image: ImageBitmap | Blob): Promise<string | undefined>
  close(): void
}

/** The file is not an image this browser can decode. */
export class NoPicture extends Error {}

export interface DecodeQuestion {
  readonly image: ImageBitmap | Blob
}

/** Worker messages: ready once, then one per request. `failed`: the worker is unusable. */
export type DecodeAnswer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'read'; readonly text: string | undefined }
  | { readonly kind: 'no_picture' }
  | { readonly kind: 'failed' }

/**
 * Opens the browser's barcode reader, or our own in a worker where missing (Firefox, Safari, Chromium on Linux). The service worker caches ours.
 *
 * @throws if it could not be loaded, or `signal` aborted
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
    event.preventDefault() // reported where the response is awaited
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
