import * as v from 'valibot'
import { localValue } from '../local-value.ts'

/** Bytes that a person may choose from. */
export const PHOTO_SPACE_CHOICES = [100_000_000, 500_000_000, 2_000_000_000] as const
const PHOTO_SPACE_DEFAULT = 500_000_000

const stored = localValue('hf-photo-space', v.pipe(v.number(), v.integer(), v.minValue(0)))

/** Bytes of photos that this device keeps although the server has them as well, whoever uses it. */
export function photoSpace(): number {
  return stored.read() ?? PHOTO_SPACE_DEFAULT
}

export function setPhotoSpace(bytes: number): void {
  stored.write(bytes)
}
