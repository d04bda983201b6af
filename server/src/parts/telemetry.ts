import { hostname } from 'node:os'
import type { Family } from '../gateway/metrics/families.ts'
import { readTelemetrySettings, UnsupportedTelemetry, type TelemetrySettings } from '../telemetry/settings.ts'
import { VERSION } from '../version.ts'
import type { PartContext } from './part-context.ts'

/**
 * Sends the metrics of `/metrics` to the collector that the environment names in the words of OpenTelemetry, if it names one. What of it cannot be used is said in the
 * log and keeps no server from starting.
 *
 * @param port - of this server
 * @param read - what `/metrics` answers
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
  // Most servers send none.
  const { MetricsExport } = await import('../telemetry/metrics-export.ts')
  opened.use(new MetricsExport({ ...settings, read, version: VERSION, instance: `${hostname()}:${port}`, logger }))
}
