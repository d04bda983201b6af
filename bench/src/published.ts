import type { Compared } from './report.ts'

/** Measured with the vendor's load client on a machine of the same kind; medians, with rows of about 590 bytes on the wire. */
const NAME = 'PowerSync service 1.25.0, 2 cores'

/** A published figure of another service that serves the same client SDK. */
export function published(value: number | undefined): { readonly baseline?: Compared } {
  return value === undefined ? {} : { baseline: { name: NAME, value } }
}

/** Rows per second of one device, by rows. */
export const FIRST_SYNC: Readonly<Record<number, number>> = { 10_000: 30_300, 100_000: 33_600, 500_000: 32_800 }

/** Rows per second of all devices together, with 10,000 rows each, by devices. */
export const MANY_FIRST_SYNCS: Readonly<Record<number, number>> = { 10: 33_900, 50: 33_000 }

type Percentiles = Readonly<Record<number, number>>

/** From commit to one of 100 devices, in milliseconds, by writes per second and share. */
export const PROPAGATION: Readonly<Record<number, Percentiles>> = {
  10: { 0.5: 51, 0.95: 70, 0.99: 86 },
  100: { 0.5: 243, 0.95: 456, 0.99: 591 },
  500: { 0.5: 351, 0.95: 451, 0.99: 579 },
}

/** From commit to each of 100 devices that all get it, at 10 writes per second. */
export const SHARED_LIST: Percentiles = { 0.5: 302, 0.95: 466, 0.99: 547 }

/** From the request for a write checkpoint to the checkpoint that has it, when nothing was written. */
export const WRITE_CHECKPOINT: Percentiles = { 0.5: 141, 0.95: 169, 0.99: 322 }

/** Rows per second of a transaction of 200,000, from its commit to the device. */
export const BULK_LOAD = 8_400

/** Kilobytes of memory for an idle device. */
export const IDLE_MEMORY = 80
