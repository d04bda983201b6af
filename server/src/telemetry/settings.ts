/** The names of OpenTelemetry's specification. What the address, headers, compression and time-out of an export are its exporter reads itself. */
type Environment = Readonly<Record<string, string | undefined>>

export interface TelemetrySettings {
  /** Export interval in ms. */
  readonly intervalMs: number
}

/** The environment asks for something that Holdfast does not do. */
export class UnsupportedTelemetry extends Error {
  override readonly name: string = 'UnsupportedTelemetry'
}

/** Default of `OTEL_METRIC_EXPORT_INTERVAL` in ms, from the specification. */
const INTERVAL_MS = 60_000
/** Reading the metrics asks Postgres for its slots. Milliseconds. */
const INTERVAL_MS_MIN = 1_000
/** Limit of Node's timers. */
const INTERVAL_MS_MAX = 2 ** 31 - 1

/**
 * Reads whether and how often metrics are sent to a collector.
 *
 * @returns undefined if the environment names no collector, or switches the metrics or all of OpenTelemetry off
 * @throws {UnsupportedTelemetry} for an exporter, protocol or interval that cannot be used; the message says which
 * @see https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 */
export function readTelemetrySettings(env: Environment): TelemetrySettings | undefined {
  const get = (name: string): string => env[name]?.trim() ?? ''
  const exporters = get('OTEL_METRICS_EXPORTER')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  const isNamed = get('OTEL_EXPORTER_OTLP_METRICS_ENDPOINT') !== '' || get('OTEL_EXPORTER_OTLP_ENDPOINT') !== ''
  if (get('OTEL_SDK_DISABLED').toLowerCase() === 'true' || exporters.includes('none')) return undefined
  if (!isNamed && !exporters.includes('otlp')) return undefined
  if (exporters.length > 0 && !exporters.includes('otlp')) {
    throw new UnsupportedTelemetry(
      `OTEL_METRICS_EXPORTER=${exporters.join(',')}: metrics are sent with otlp only; Prometheus reads /metrics`,
    )
  }
  const protocol = get('OTEL_EXPORTER_OTLP_METRICS_PROTOCOL') || get('OTEL_EXPORTER_OTLP_PROTOCOL')
  if (protocol !== '' && protocol !== 'http/protobuf') {
    throw new UnsupportedTelemetry(
      `OTEL_EXPORTER_OTLP_PROTOCOL=${protocol}: metrics are sent with http/protobuf only, which collectors take at port 4318`,
    )
  }
  return { intervalMs: readInterval(get('OTEL_METRIC_EXPORT_INTERVAL')) }
}

function readInterval(text: string): number {
  if (text === '') return INTERVAL_MS
  const interval = Number(text)
  if (/^\d+$/.test(text) && interval >= INTERVAL_MS_MIN && interval <= INTERVAL_MS_MAX) return interval
  throw new UnsupportedTelemetry(
    `OTEL_METRIC_EXPORT_INTERVAL=${text}: a whole number of milliseconds from ${INTERVAL_MS_MIN} is expected`,
  )
}
