import type { Sharp, SharpOptions } from 'sharp'
import { errorMessage } from '@holdfast/foundation'
import { featureNotEnabled, invalidRequest } from '../errors.ts'
import { IMAGE_PIXELS_MAX, IMAGE_QUALITY, IMAGE_SECONDS_MAX } from '../limits.ts'
import type { ImageFormat } from './image-format.ts'
import type { Gravity, Transform } from './transform.ts'

type SharpModule = (input: Buffer, options: SharpOptions) => Sharp

let loading: Promise<SharpModule> | undefined

/** Imports sharp with the first image, because loading the 20 MB library would delay the start. @throws {HoldfastError} `FeatureNotEnabled` if not installed */
async function loadSharp(): Promise<SharpModule> {
  return (loading ??= import('sharp').then(
    ({ default: sharp }) => {
      // One thread per image: several are rendered in parallel, and requests have priority.
      sharp.concurrency(1)
      sharp.cache(false)
      sharp.block({ operation: ['VipsForeignLoad'] })
      sharp.unblock({
        operation: ['Jpeg', 'Png', 'Webp', 'Heif', 'Nsgif'].map((name) => `VipsForeignLoad${name}`),
      })
      return sharp as unknown as SharpModule
    },
    (error: unknown) => {
      loading = undefined
      throw featureNotEnabled('image_transformation', error)
    },
  ))
}

const POSITIONS: Readonly<Record<Exclude<Gravity, 'fp'>, string>> = {
  no: 'north',
  so: 'south',
  ea: 'east',
  we: 'west',
  noea: 'northeast',
  nowe: 'northwest',
  soea: 'southeast',
  sowe: 'southwest',
  ce: 'centre',
  sm: 'attention',
}

/** @throws {HoldfastError} `InvalidRequest` if the bytes are not a supported image, or the image is too large */
export async function drawImage(source: Buffer, transform: Transform, target: ImageFormat): Promise<Buffer> {
  const sharp = await loadSharp()
  try {
    const image = sharp(source, { limitInputPixels: IMAGE_PIXELS_MAX, failOn: 'error' }).autoOrient()
    const framed = transform.gravity === 'fp' ? await cropAround(image, transform) : image
    return await encode(resize(framed, transform), target, transform.quality)
      .timeout({ seconds: IMAGE_SECONDS_MAX })
      .toBuffer()
  } catch (error) {
    throw invalidRequest(`The image cannot be transformed: ${firstLine(errorMessage(error))}`, error)
  }
}

/** Never enlarges the original. */
function resize(image: Sharp, { width, height, resize: fit, gravity }: Transform): Sharp {
  if (width === undefined && height === undefined) return image
  return image.resize({
    ...(width !== undefined && { width }),
    ...(height !== undefined && { height }),
    fit: fit === 'contain' ? 'inside' : fit,
    position: gravity === undefined || gravity === 'fp' ? 'centre' : POSITIONS[gravity],
    withoutEnlargement: true,
  })
}

/** Crops the largest area with the requested aspect ratio, centered as close as possible to the focus point. */
async function cropAround(image: Sharp, transform: Transform): Promise<Sharp> {
  const { width, height, resize: fit, xOffset = 0.5, yOffset = 0.5 } = transform
  if (fit !== 'cover' || width === undefined || height === undefined) return image
  const { autoOrient: whole } = await image.metadata()
  const scale = Math.min(whole.width / width, whole.height / height)
  const part = {
    width: Math.max(1, Math.min(whole.width, Math.round(width * scale))),
    height: Math.max(1, Math.min(whole.height, Math.round(height * scale))),
  }
  const within = (middle: number, length: number, all: number): number =>
    Math.round(Math.min(Math.max(middle - length / 2, 0), all - length))
  return image.extract({
    ...part,
    left: within(xOffset * whole.width, part.width, whole.width),
    top: within(yOffset * whole.height, part.height, whole.height),
  })
}

function encode(image: Sharp, target: ImageFormat, quality = IMAGE_QUALITY): Sharp {
  switch (target) {
    case 'jpeg':
      return image.jpeg({ quality })
    case 'png':
      return image.png()
    case 'webp':
      return image.webp({ quality })
    case 'avif':
      return image.avif({ quality, effort: 2 })
    case 'gif':
      return image.gif()
  }
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}
