import { diag, DiagLogLevel, type HrTime } from '@opentelemetry/api'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import { detectResources, envDetector, resourceFromAttributes, type Resource } from '@opentelemetry/resources'
import { delay, errorMessage, type Logger } from '@holdfast/foundation'
import type { Family } from '../gateway/metrics/families.ts'
import { toMetricData } from './to-metric-data.ts'

export interface MetricsExportOptions {
  readonly intervalMs: number
  /** Collects current metrics. */
  readonly read: () => Promise<readonly Family[]>
  readonly version: string
  /** Distinguishes servers of the installation: host and port. */
  readonly instance: string
  readonly logger: Logger
}

/** Time in ms that a collector may delay shutdown. */
const STOPPING_MS = 1_000

/**
 * Periodically exports metrics to an OpenTelemetry collector, one export at a time. Failed exports are not kept, because the next one contains the counters.
 *
 * @see https://opentelemetry.io/docs/specs/otlp/
 */
export class MetricsExport implements AsyncDisposable {
  readonly #options: MetricsExportOptions
  readonly #exporter = new OTLPMetricExporter()
  readonly #resource: Resource
  readonly #startTime = toHrTime(performance.timeOrigin)
  readonly #timer: NodeJS.Timeout
  #sending: Promise<void> | undefined
  #isFailing = false

  constructor(options: MetricsExportOptions) {
    const { version, instance, logger, intervalMs } = options
    this.#options = options
    // The library explains invalid headers or URLs in the environment, and what a collector rejected.
    diag.setLogger(diagnosticsOf(logger), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
    const own = { 'service.name': 'holdfast', 'service.version': version, 'service.instance.id': instance }
    this.#resource = resourceFromAttributes(own).merge(detectResources({ detectors: [envDetector] }))
    this.#timer = setInterval(() => void this.send(), intervalMs).unref()
  }

  /** Exports the current metrics, or joins an export that is still running: a hanging collector gets only one. */
  send(): Promise<void> {
    return (this.#sending ??= this.#send().finally(() => (this.#sending = undefined)))
  }

  async #send(): Promise<void> {
    const { read, version, logger } = this.#options
    try {
      const period = { startTime: this.#startTime, endTime: toHrTime(Date.now()) }
      const metrics = [...toMetricData(await read(), period)]
      const scopeMetrics = [{ scope: { name: 'holdfast', version }, metrics }]
      await new Promise<void>((resolve, reject) => {
        this.#exporter.export({ resource: this.#resource, scopeMetrics }, ({ code, error }) =>
          code === 0 ? resolve() : reject(error ?? new Error('the exporter does not say why')),
        )
      })
      if (this.#isFailing) logger.log('info', 'metrics are sent again')
      this.#isFailing = false
    } catch (error) {
      // Logged once per outage.
      if (!this.#isFailing) logger.log('warn', 'metrics cannot be sent', { error: errorMessage(error) })
      this.#isFailing = true
    }
  }

  /** Exports the metrics once more, unless exports are failing. Waits at most {@link STOPPING_MS}. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    const over = new AbortController()
    const last = async (): Promise<void> => {
      await this.#sending
      if (!this.#isFailing) await this.send()
      await this.#exporter.shutdown()
    }
    try {
      await Promise.race([last(), delay(STOPPING_MS, over.signal)])
    } finally {
      over.abort()
    }
  }
}

function diagnosticsOf(logger: Logger): Parameters<typeof diag.setLogger>[0] {
  const log = (text: string): void => logger.log('warn', 'OpenTelemetry', { message: text })
  const nothing = (): void => undefined
  return { error: log, warn: log, info: nothing, debug: nothing, verbose: nothing }
}

/** Converts milliseconds since the epoch to seconds and nanoseconds. */
function toHrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1_000)
  return [seconds, Math.round((ms - seconds * 1_000) * 1e6)]
}
