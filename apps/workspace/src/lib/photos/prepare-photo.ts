/** Longest side of a stored photo in pixels: enough to read a name plate, at a tenth of the camera's bytes. */
export const PHOTO_SIDE_MAX = 2_048
/** JPEG quality, 0 to 1. */
const PHOTO_QUALITY = 0.85
/** Source limit in bytes: larger files are not camera photos, and decoding them may crash the page. 64 MiB. */
export const SOURCE_BYTES_MAX = 64 * 1_048_576

export interface PreparedPhoto {
  readonly blob: Blob
  readonly width: number
  readonly height: number
}

/** Why a file is rejected. `unreadable`: this browser cannot decode it. */
export type NoPhotoReason = 'video' | 'video_kind' | 'video_too_large' | 'empty' | 'too_large' | 'unreadable'

/** The file is not an image this device can decode. */
export class UnreadablePhoto extends Error {
  override readonly name = 'UnreadablePhoto'
  readonly reason: NoPhotoReason

  constructor(reason: NoPhotoReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/**
 * Rotates and scales down an image and encodes it as JPEG. Keeps only pixels, so neither location nor camera metadata.
 *
 * @throws {UnreadablePhoto} if this browser cannot decode it; the original is never stored
 */
export async function preparePhoto(source: Blob): Promise<PreparedPhoto> {
  if (source.size === 0) throw new UnreadablePhoto('empty', 'The file is empty.')
  if (source.size > SOURCE_BYTES_MAX) throw new UnreadablePhoto('too_large', 'The file is too large.')
  using bitmap = await decode(source)
  const { width, height } = fitInto(bitmap.value, PHOTO_SIDE_MAX)
  return { blob: await encode(bitmap.value, width, height, PHOTO_QUALITY), width, height }
}

/** Creates a square thumbnail of `side` pixels from the image's center. */
export async function makeThumbnail(source: Blob, side: number): Promise<Blob> {
  // Decoded small, but wide enough that the center of a 3:2 image fills the square in either orientation.
  using bitmap = await decode(source, { resizeWidth: side * 2, resizeQuality: 'high' })
  return await drawSquare(bitmap.value, bitmap.value, side)
}

/** Draws the center of an image or video frame in a square of `side` pixels. */
export async function drawSquare(
  source: ImageBitmap | HTMLVideoElement,
  { width, height }: { readonly width: number; readonly height: number },
  side: number,
): Promise<Blob> {
  const cut = Math.min(width, height)
  using canvas = openCanvas(side, side)
  canvas.context.imageSmoothingQuality = 'high'
  canvas.context.drawImage(source, (width - cut) / 2, (height - cut) / 2, cut, cut, 0, 0, side, side)
  return await canvas.toJpeg(0.8)
}

/** Scales a size down to a longest side of `max`. Never enlarges. */
export function fitInto(
  { width, height }: { readonly width: number; readonly height: number },
  max: number,
): { readonly width: number; readonly height: number } {
  const scale = Math.min(1, max / Math.max(width, height, 1))
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

async function decode(
  source: Blob,
  options: ImageBitmapOptions = {},
): Promise<Disposable & { readonly value: ImageBitmap }> {
  try {
    const value = await createImageBitmap(source, { imageOrientation: 'from-image', ...options })
    return { value, [Symbol.dispose]: () => value.close() }
  } catch (cause) {
    throw new UnreadablePhoto('unreadable', 'This browser cannot read the file as a picture.', { cause })
  }
}

async function encode(bitmap: ImageBitmap, width: number, height: number, quality: number): Promise<Blob> {
  using canvas = openCanvas(width, height)
  const { context } = canvas
  context.fillStyle = '#fff' // JPEG has no transparency
  context.fillRect(0, 0, width, height)
  context.imageSmoothingQuality = 'high'
  context.drawImage(bitmap, 0, 0, width, height)
  return await canvas.toJpeg(quality)
}

interface Canvas extends Disposable {
  readonly context: OffscreenCanvasRenderingContext2D
  readonly toJpeg: (quality: number) => Promise<Blob>
}

/** Releases the pixels immediately: a hundred photos awaiting garbage collection exceed a gigabyte. */
function openCanvas(width: number, height: number): Canvas {
  const canvas = new OffscreenCanvas(width, height)
  const context = canvas.getContext('2d')
  if (!context) throw new UnreadablePhoto('too_large', 'This browser has no room for another picture.')
  return {
    context,
    toJpeg: (quality) => canvas.convertToBlob({ type: 'image/jpeg', quality }),
    [Symbol.dispose]() {
      canvas.width = 0
      canvas.height = 0
    },
  }
}
