import { prepareZXingModule } from 'zxing-wasm/reader'
import wasmAddress from 'zxing-wasm/reader/zxing_reader.wasm?url'
import type { DecodeAnswer, DecodeQuestion } from './code-reader.ts'
import { decodeCode, type Pixels } from './decode.ts'

/** Longest side examined, in pixels: enough for a small code in a photo of a whole machine, with bounded memory. */
const SIDE_MAX = 2_400

const answer = (message: DecodeAnswer): void => postMessage(message)

function pixelsOf(image: ImageBitmap): Pixels {
  const scale = Math.min(1, SIDE_MAX / Math.max(image.width, image.height))
  const [width, height] = [Math.round(image.width * scale), Math.round(image.height * scale)]
  const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true })
  if (!context) throw new Error('This browser has no canvas in workers.')
  context.drawImage(image, 0, 0, width, height)
  return context.getImageData(0, 0, width, height)
}

async function decode({ image }: DecodeQuestion): Promise<DecodeAnswer> {
  const bitmap = image instanceof ImageBitmap ? image : await createImageBitmap(image).catch(() => undefined)
  if (!bitmap) return { kind: 'no_picture' }
  try {
    return { kind: 'read', text: await decodeCode(pixelsOf(bitmap)) }
  } finally {
    bitmap.close()
  }
}

function tellFailed(error: unknown): void {
  console.info('The reader of codes failed.', error)
  answer({ kind: 'failed' })
}

addEventListener('message', ({ data }: MessageEvent<DecodeQuestion>) => {
  decode(data).then(answer, tellFailed)
})

prepareZXingModule({ overrides: { locateFile: () => wasmAddress }, fireImmediately: true }).then(
  () => answer({ kind: 'ready' }),
  tellFailed,
)
