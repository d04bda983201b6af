/** Bytes of a request body, where a route does not say otherwise. */
export const BODY_BYTES_MAX = 1024 * 1024

/** Milliseconds that an idle connection stays open: longer than the 60 s of common proxies, so that they close first. */
export const CONNECTION_IDLE_MS = 72_000

/** Milliseconds that a client may take to send its headers. Above the idle time, as Node asks. */
export const HEADERS_TIMEOUT_MS = 75_000

/** Characters of an address. PostgREST's filters and replication libraries put values into it: 1,600 uuids, or a text of 30 kB with its escapes. */
export const ADDRESS_CHARACTERS_MAX = 64 * 1024

/** Bytes of an address and all headers: the longest address, and as much for tokens and cookies. A connection may hold as much for `HEADERS_TIMEOUT_MS`. */
export const HEAD_BYTES_MAX = 128 * 1024

/** Bytes of all unfinished request heads. 500 connections may each hold a whole one. */
export const HEAD_MEMORY_BYTES_MAX = 64 * 1024 * 1024

/** Milliseconds in which the rest of a refused request is read and discarded, so that its client gets to read the answer. */
export const HEAD_DRAIN_MS = 2_000

/** Milliseconds that a client may take to agree on TLS. Phones on bad networks take some round trips of a second. */
export const HANDSHAKE_TIMEOUT_MS = 20_000

/** Characters of one part of an address. Function and table names stay far below. */
export const PARAMETER_LENGTH_MAX = 512

/** Seconds that a browser may remember the answer to a preflight request. */
export const PREFLIGHT_LIFETIME_S = 3_600

/** Milliseconds that a start waits for a port that no server has, but a passing connection: most of those are short. */
export const PORT_PATIENCE_MS = 3_000

/** How long request bodies may take, where the server is opened without other values. */
export const BODY_PATIENCE = {
  silenceMs: 30_000,
  rateMin: 128,
  /** Until then a phone may have looked for its network. */
  rateGraceMs: 60_000,
  totalMs: 1_800_000,
  /** Honest bodies are a few kilobytes and take as long as a round trip. */
  slowMs: 10_000,
  slowPerAddressMax: 64,
}

/** What is still read of a body that was answered before its end, so that its client gets to read the answer. */
export const DRAIN_PATIENCE = {
  /** More than a file of the largest size that is allowed, where nothing else is set: most of what is refused is not much larger than that. */
  bytesMax: 64 * 1024 * 1024,
  /** In which a phone sends as much. */
  totalMs: 60_000,
}

/** Bytes of all request bodies in memory, where the server is opened without another value. */
export const BODY_MEMORY_BYTES_MAX = 256 * 1024 * 1024

/** Bytes from which JSON bodies are decoded in turn: below, decoding takes about a millisecond. */
export const LARGE_BODY_BYTES = 128 * 1024
