import { hostname } from 'node:os'
import type { Family } from '../gateway/metrics/families.ts'
import { readTelemetrySettings, UnsupportedTelemetry, type TelemetrySettings } from '../telemetry/settings.ts'
import { VERSION } from '../version.ts'
import type { PartContext } from './part-context.ts'

/**
 * Sends the metrics of `/metrics` to the collector named by OpenTelemetry's environment variables, if any. Logs unusable settings without failing the start.
 *
 * @param port - of this server
 * @param read - collects the metrics
 */
export async function openTelemetry(
  { opened, logger }: PartContext,
  port: number,
  read: () => Promise<readonly Family[]>,
): Promise<void> {
  let settings: TelemetrySettings | undefined
  try {
    settings = readTelemetrySettings(process.env)
  } catch (error) {
    if (!(error instanceof UnsupportedTelemetry)) throw error
    logger.log('warn', 'no metrics are sent', { error: error.message })
  }
  if (!settings) return
  // Loaded on demand, because most servers send no metrics.
  const { MetricsExport } = await import('../telemetry/metrics-export.ts')
  opened.use(new MetricsExport({ ...settings, read, version: VERSION, instance: `${hostname()}:${port}`, logger }))
}
