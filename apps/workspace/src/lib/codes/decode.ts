import { readBarcodes, type ReaderOptions } from 'zxing-wasm/reader'

/** Formats on machine and goods labels, as supported by browsers: https://wicg.github.io/shape-detection-api/#barcodeformat-section */
const OPTIONS: ReaderOptions = {
  formats: ['QRCode', 'DataMatrix', 'Aztec', 'PDF417', 'Code128', 'Code39', 'Code93', 'Codabar', 'ITF', 'EANUPC'],
  maxNumberOfSymbols: 1,
  // As in browsers: without the brackets displayed around GS1 numbers.
  textMode: 'Plain',
}

/** RGBA pixels of a canvas. */
export type Pixels = Pick<ImageData, 'data' | 'width' | 'height'>

/**
 * Decodes the first barcode or QR code of an image in any rotation.
 *
 * @returns `undefined` if there is none
 */
export async function decodeCode({ data, width, height }: Pixels): Promise<string | undefined> {
  const [found] = await readBarcodes({ data, width, height, colorSpace: 'srgb' } as ImageData, OPTIONS)
  return found === undefined || !found.isValid || found.text === '' ? undefined : found.text
}
