import { readBarcodes, type ReaderOptions } from 'zxing-wasm/reader'

/** What stands on labels of machines and goods; the same as browsers read themselves: https://wicg.github.io/shape-detection-api/#barcodeformat-section */
const OPTIONS: ReaderOptions = {
  formats: ['QRCode', 'DataMatrix', 'Aztec', 'PDF417', 'Code128', 'Code39', 'Code93', 'Codabar', 'ITF', 'EANUPC'],
  maxNumberOfSymbols: 1,
  // As browsers give it: without the brackets that people are shown around GS1 numbers.
  textMode: 'Plain',
}

/** Pixels as a canvas gives them: four bytes each. */
export type Pixels = Pick<ImageData, 'data' | 'width' | 'height'>

/**
 * Reads the first barcode or QR code in a picture, turned or not.
 *
 * @returns `undefined` when there is none
 */
export async function decodeCode({ data, width, height }: Pixels): Promise<string | undefined> {
  const [found] = await readBarcodes({ data, width, height, colorSpace: 'srgb' } as ImageData, OPTIONS)
  return found === undefined || !found.isValid || found.text === '' ? undefined : found.text
}
