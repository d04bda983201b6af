/** Default body limit in bytes. */
export const BODY_BYTES_MAX = 1024 * 1024

/** Idle timeout in ms of connections: longer than the common 60 s of proxies, so that they close first. */
export const CONNECTION_IDLE_MS = 72_000

/** Header timeout in ms. Above the idle timeout, as Node requires. */
export const HEADERS_TIMEOUT_MS = 75_000

/** URL length limit in characters. PostgREST filters and replication libraries put values into it: 1,600 UUIDs, or 30 kB of escaped text. */
export const ADDRESS_CHARACTERS_MAX = 64 * 1024

/** Limit in bytes of URL plus headers: the longest URL, and as much for tokens and cookies. A connection may hold this for `HEADERS_TIMEOUT_MS`. */
export const HEAD_BYTES_MAX = 128 * 1024

/** Memory limit in bytes for all incomplete heads: 500 complete ones. */
export const HEAD_MEMORY_BYTES_MAX = 64 * 1024 * 1024

/** Time in ms for discarding the rest of a refused request, so that its client can read the response. */
export const HEAD_DRAIN_MS = 2_000

/** TLS handshake timeout in ms. Phones on bad networks need several round trips of a second. */
export const HANDSHAKE_TIMEOUT_MS = 20_000

/** Length limit of a URL parameter in characters, far above function and table names. */
export const PARAMETER_LENGTH_MAX = 512

/** Cache lifetime in seconds of preflight responses. */
export const PREFLIGHT_LIFETIME_S = 3_600

/** Wait in ms for a port held by a connection without a listener; most are short. */
export const PORT_PATIENCE_MS = 3_000

/** Default time limits for request bodies. */
export const BODY_PATIENCE = {
  silenceMs: 30_000,
  rateMin: 128,
  /** Time for a phone to find its network. */
  rateGraceMs: 60_000,
  totalMs: 1_800_000,
  /** Normal bodies are a few kilobytes and take one round trip. */
  slowMs: 10_000,
  slowPerAddressMax: 64,
}

/** Default limits for reading a body after its response. */
export const DRAIN_PATIENCE = {
  /** More than the default maximum file size; most refused bodies are not much larger. */
  bytesMax: 64 * 1024 * 1024,
  /** Time for a phone to send that much. */
  totalMs: 60_000,
}

/** Default memory limit in bytes for all request bodies. */
export const BODY_MEMORY_BYTES_MAX = 256 * 1024 * 1024

/** Size in bytes at which JSON bodies are decoded in turn; smaller ones take about a millisecond. */
export const LARGE_BODY_BYTES = 128 * 1024
