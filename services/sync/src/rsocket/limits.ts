/** WebSockets that may be open without a stream. One address gets at most half of what the others leave. */
export const OPENING_MAX = 2_000

/** Time in ms from the connection until a device has asked for its stream. */
export const OPENING_MS = 10_000

/** Bytes of messages that have not arrived whole or wait to be decoded, of all WebSockets. */
export const ARRIVING_BYTES_MAX = 64 * 1024 * 1024

/** Maximum bytes of a SETUP frame, which has the token. */
export const SETUP_BYTES_MAX = 64 * 1024

/** Bytes of a request's frame beyond its body: header, metadata with the path. */
export const REQUEST_OVERHEAD_BYTES = 4 * 1024

/** Maximum WebSocket fragments per message: mobile clients send one, browsers fragment large messages. */
export const FRAGMENTS_MAX = 256

/** Maximum bytes that a keepalive asks to get back. */
export const KEEPALIVE_BYTES_MAX = 256

/** Messages per second of a device; beyond it, the server reads no more for the rest of the second. A device sends one per line that it gets. */
export const MESSAGES_PER_SECOND_MAX = 2_000

/** Interval in ms for looking for silent devices, late requests and slow closing. */
export const SWEEP_MS = 1_000

/** Time in ms without a message after which a device counts as gone: at least the first, at most the second, in between what the device says. */
export const SILENCE_MS = { min: 40_000, max: 120_000 } as const

/** Time in ms for a device to close its connection after its stream has ended. */
export const CLOSING_MS = 15_000

/** The same while the server stops. */
export const STOPPING_MS = 1_000

/** Bytes handed to a connection from which the next line waits until the kernel has taken them. */
export const UNSENT_BYTES = 32 * 1024

/** A line that takes this many ms to leave, including until the device asks for it, tells how fast the device reads. */
export const SLOW_SEND_MS = 20
