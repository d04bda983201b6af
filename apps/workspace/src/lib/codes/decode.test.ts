import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { prepareZXingModule as prepareReader } from 'zxing-wasm/reader'
import { prepareZXingModule as prepareWriter, writeBarcode, type WriterOptions } from 'zxing-wasm/writer'
import { beforeAll, describe, expect, it } from 'vitest'
import { decodeCode, type Pixels } from './decode.ts'

const require = createRequire(import.meta.url)
const wasm = (name: string): { readonly wasmBinary: ArrayBuffer } => {
  const bytes = readFileSync(require.resolve(`zxing-wasm/${name}`))
  return { wasmBinary: new Uint8Array(bytes).buffer }
}

beforeAll(() => {
  prepareReader({ overrides: wasm('reader/zxing_reader.wasm') })
  prepareWriter({ overrides: wasm('writer/zxing_writer.wasm') })
})

/** Size of a module, of the quiet zone, and of the surrounding wall in pixels. */
const MODULE = 4
const MARGIN = 24
const WALL = 60

/** A dim, noisy photo of a label on a wall, rotated by quarter turns. */
async function photograph(text: string, format: NonNullable<WriterOptions['format']>, quarters = 0): Promise<Pixels> {
  const { symbol, error } = await writeBarcode(text, { format, addQuietZones: true })
  expect(error).toBe('')
  // A barcode is one module high.
  const rows = symbol.height === 1 ? 20 : symbol.height
  const shadeOf = (x: number, y: number): number | undefined =>
    x >= 0 && y >= 0 && x < symbol.width && y < rows
      ? symbol.data[(symbol.height === 1 ? 0 : y) * symbol.width + x]
      : undefined
  const around = MARGIN + WALL
  const [across, down] = [symbol.width, rows].map((modules) => modules * MODULE + 2 * around) as [number, number]
  const [width, height] = quarters % 2 === 0 ? [across, down] : [down, across]
  const turned = [
    (x: number, y: number) => [x, y],
    (x: number, y: number) => [y, width - 1 - x],
    (x: number, y: number) => [width - 1 - x, height - 1 - y],
  ] as const
  const data = new Uint8ClampedArray(width * height * 4).fill(255)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [u = 0, v = 0] = turned[quarters]?.(x, y) ?? []
      const module = shadeOf(Math.floor((u - around) / MODULE), Math.floor((v - around) / MODULE))
      const shade = module ?? (Math.min(x, y, width - x, height - y) < WALL ? 150 : 255)
      const seen = 40 + shade * 0.5 + (x / width) * 30 + ((x * 7919 + y * 104_729) % 17)
      data.fill(seen, (y * width + x) * 4, (y * width + x) * 4 + 3)
    }
  }
  return { data, width, height }
}

describe('decodeCode', () => {
  it.each([
    ['QRCode', 'NLW-PUMP-00412'],
    ['QRCode', 'https://northline.example/a/412?ü=1'],
    ['EAN13', '4006381333931'],
    ['Code128', 'SN 2041/7-B'],
    ['DataMatrix', 'VALVE-0099'],
  ] as const)('reads a label with %s: %s', async (format, text) => {
    expect(await decodeCode(await photograph(text, format))).toBe(text)
  })

  it('reads a label that stands on its side, or on its head', async () => {
    expect(await decodeCode(await photograph('SN 2041/7-B', 'Code128', 1))).toBe('SN 2041/7-B')
    expect(await decodeCode(await photograph('NLW-PUMP-00412', 'QRCode', 2))).toBe('NLW-PUMP-00412')
  })

  it('finds nothing in a picture without a code', async () => {
    const wall = { data: new Uint8ClampedArray(320 * 240 * 4).fill(150), width: 320, height: 240 }
    expect(await decodeCode(wall)).toBeUndefined()
  })
})
