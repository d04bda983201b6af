import * as v from 'valibot'
import { localValue } from '../local-value.ts'

/** Selectable limits in bytes. */
export const PHOTO_SPACE_CHOICES = [100_000_000, 500_000_000, 2_000_000_000] as const
const PHOTO_SPACE_DEFAULT = 500_000_000

const stored = localValue('hf-photo-space', v.pipe(v.number(), v.integer(), v.minValue(0)))

/** Returns this device's limit in bytes for photos that are also on the server. */
export function photoSpace(): number {
  return stored.read() ?? PHOTO_SPACE_DEFAULT
}

export function setPhotoSpace(bytes: number): void {
  stored.write(bytes)
}
