/** Environment variables by OpenTelemetry's names. The exporter itself reads those for URL, headers, compression and timeout. */
type Environment = Readonly<Record<string, string | undefined>>

export interface TelemetrySettings {
  /** Export interval in ms. */
  readonly intervalMs: number
}

/** The environment requests an unsupported feature. */
export class UnsupportedTelemetry extends Error {
  override readonly name: string = 'UnsupportedTelemetry'
}

/** Default of `OTEL_METRIC_EXPORT_INTERVAL` in ms, from the specification. */
const INTERVAL_MS = 60_000
/** Minimum interval in ms, because each reading queries Postgres for its slots. */
const INTERVAL_MS_MIN = 1_000
/** Limit of Node's timers. */
const INTERVAL_MS_MAX = 2 ** 31 - 1

/**
 * Reads whether and how often to send metrics to a collector.
 *
 * @returns undefined if no collector is named, or metrics or OpenTelemetry are disabled
 * @throws {UnsupportedTelemetry} for an unsupported exporter, protocol or interval, named in the message
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
