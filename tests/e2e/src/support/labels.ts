import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { prepareZXingModule, writeBarcode } from 'zxing-wasm/writer'
import { CAMERA_FILE } from './camera-file.ts'

const [WIDTH, HEIGHT] = [640, 480]
/** Pixels of a module of a code. */
const MODULE = 6

async function drawCode(text: string): ReturnType<typeof writeBarcode> {
  const wasm = await readFile(fileURLToPath(import.meta.resolve('zxing-wasm/writer/zxing_writer.wasm')))
  prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(wasm).buffer } })
  return writeBarcode(text, { format: 'QRCode', scale: MODULE, addQuietZones: true })
}

/** A picture of a label with a QR code, as a file. */
export async function labelPicture(text: string): Promise<{ name: string; mimeType: string; buffer: Buffer }> {
  const { image, error } = await drawCode(text)
  if (!image) throw new Error(error)
  return { name: 'label.png', mimeType: 'image/png', buffer: Buffer.from(await image.arrayBuffer()) }
}

/** Holds a label with a QR code before the camera. */
export async function holdBeforeCamera(text: string): Promise<void> {
  const { symbol } = await drawCode(text)
  const [left, top] = [(WIDTH - symbol.width * MODULE) >> 1, (HEIGHT - symbol.height * MODULE) >> 1]
  const light = Buffer.alloc(WIDTH * HEIGHT, 160)
  for (let y = 0; y < symbol.height * MODULE; y++) {
    for (let x = 0; x < symbol.width * MODULE; x++) {
      const module = Math.floor(y / MODULE) * symbol.width + Math.floor(x / MODULE)
      light[(top + y) * WIDTH + left + x] = symbol.data[module] ?? 255
    }
  }
  const frame = Buffer.concat([Buffer.from('FRAME\n'), light, Buffer.alloc((WIDTH * HEIGHT) / 2, 128)])
  await mkdir(dirname(CAMERA_FILE), { recursive: true })
  // https://wiki.multimedia.cx/index.php/YUV4MPEG2
  await writeFile(
    CAMERA_FILE,
    Buffer.concat([Buffer.from(`YUV4MPEG2 W${WIDTH} H${HEIGHT} F5:1 Ip A1:1 C420jpeg\n`), frame, frame]),
  )
}
