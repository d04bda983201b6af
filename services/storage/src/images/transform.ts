import { createHash } from 'node:crypto'
import { invalidRequest } from '../errors.ts'
import { IMAGE_SIDE_MAX } from '../limits.ts'

/** A requested image transform, with Supabase's names and values. */
export interface Transform {
  readonly width?: number
  readonly height?: number
  readonly resize: Resize
  readonly quality: number | undefined
  /** `undefined`: the best format the client accepts. */
  readonly format: TargetFormat | undefined
  readonly gravity: Gravity | undefined
  /** Focus point for gravity `fp`, each from 0 to 1. */
  readonly xOffset?: number
  readonly yOffset?: number
}

export type Resize = 'cover' | 'contain' | 'fill'
export type TargetFormat = 'origin' | 'webp' | 'avif'
export type Gravity = (typeof GRAVITIES)[number]

/** From storage-js; values in a URL are strings. */
export type TransformInput = Readonly<Record<string, unknown>>

const RESIZES: readonly string[] = ['cover', 'contain', 'fill']
const FORMATS: readonly string[] = ['origin', 'webp', 'avif']
const GRAVITIES = ['no', 'so', 'ea', 'we', 'noea', 'nowe', 'soea', 'sowe', 'ce', 'sm', 'fp'] as const

/** Names used by imgproxy, Supabase's renderer. */
const RESIZING_TYPES: Readonly<Record<Resize, string>> = { cover: 'fill', contain: 'fit', fill: 'force' }

/** Parses a transform from a URL or a signing request's body. @throws {HoldfastError} `InvalidRequest` */
export function parseTransform(input: TransformInput): Transform {
  const width = integer(input, 'width')
  const height = integer(input, 'height')
  const quality = integer(input, 'quality')
  if (quality !== undefined && (quality < 20 || quality > 100)) throw invalidRequest('quality must be from 20 to 100')
  const gravity = oneOf(input, 'gravity', GRAVITIES) as Gravity | undefined
  const [xOffset, yOffset] = [fraction(input, 'x_offset'), fraction(input, 'y_offset')]
  if (gravity === 'fp' && (xOffset === undefined || yOffset === undefined))
    throw invalidRequest('gravity fp needs x_offset and y_offset')
  return {
    ...(width !== undefined && { width: clamped(width) }),
    ...(height !== undefined && { height: clamped(height) }),
    resize: (oneOf(input, 'resize', RESIZES) as Resize | undefined) ?? 'cover',
    quality,
    format: oneOf(input, 'format', FORMATS) as TargetFormat | undefined,
    gravity,
    ...(gravity === 'fp' && { xOffset, yOffset }),
  } as Transform
}

/** Formats a transform for the `x-transformations` header. */
export function describeTransform(transform: Transform): string {
  return render(transform, `resizing_type:${RESIZING_TYPES[transform.resize]}`)
}

/** Encodes a transform for a signed URL; see {@link parseSignedTransform}. */
export function encodeTransform(transform: Transform): string {
  return render(transform, `resize:${transform.resize}`)
}

export function parseSignedTransform(text: string): Transform {
  return parseTransform(
    Object.fromEntries(
      text
        .split(',')
        .filter((part) => part !== '')
        .map((part) => part.split(':', 2) as [string, string]),
    ),
  )
}

function render(transform: Transform, resize: string): string {
  const { width, height, quality, format, gravity, xOffset, yOffset } = transform
  return [
    height !== undefined && `height:${height}`,
    width !== undefined && `width:${width}`,
    (width !== undefined || height !== undefined) && resize,
    quality !== undefined && `quality:${quality}`,
    format !== undefined && format !== 'origin' && `format:${format}`,
    gravity !== undefined && `gravity:${gravity}`,
    xOffset !== undefined && `x_offset:${xOffset}`,
    yOffset !== undefined && `y_offset:${yOffset}`,
  ]
    .filter((part) => part !== false)
    .join(',')
}

/** Cache name of a result within its version. */
export function nameOfResult(transform: Transform, target: string): string {
  return createHash('sha256')
    .update(`${encodeTransform(transform)} ${target}`)
    .digest('hex')
    .slice(0, 32)
}

function integer(input: TransformInput, name: string): number | undefined {
  const value = number(input, name)
  if (value !== undefined && (!Number.isSafeInteger(value) || value < 0))
    throw invalidRequest(`${name} must be a whole number`)
  return value
}

function fraction(input: TransformInput, name: string): number | undefined {
  const value = number(input, name)
  if (value !== undefined && (value < 0 || value > 1)) throw invalidRequest(`${name} must be from 0 to 1`)
  return value
}

function number(input: TransformInput, name: string): number | undefined {
  const value = input[name]
  if (value === undefined || value === null) return undefined
  const parsed = typeof value === 'string' && /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : value
  if (typeof parsed !== 'number' || !Number.isFinite(parsed)) throw invalidRequest(`${name} must be a number`)
  return parsed
}

function oneOf(input: TransformInput, name: string, values: readonly string[]): string | undefined {
  const value = input[name]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string' || !values.includes(value))
    throw invalidRequest(`${name} must be one of ${values.join(', ')}`)
  return value
}

function clamped(side: number): number {
  return Math.min(Math.max(side, 1), IMAGE_SIDE_MAX)
}
