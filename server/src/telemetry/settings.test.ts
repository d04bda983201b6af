import { describe, expect, test } from 'vitest'
import { readTelemetrySettings, UnsupportedTelemetry } from './settings.ts'

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }

describe('metrics are sent', () => {
  test.each([
    [ENDPOINT],
    [{ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://collector/x' }],
    [{ OTEL_METRICS_EXPORTER: 'otlp' }],
    [{ ...ENDPOINT, OTEL_METRICS_EXPORTER: 'prometheus, otlp', OTEL_SDK_DISABLED: 'false' }],
    [{ ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'http/protobuf' }],
  ])('every minute with %o', (env) => {
    expect(readTelemetrySettings(env)).toEqual({ intervalMs: 60_000 })
  })

  test('as often as the environment says', () => {
    expect(readTelemetrySettings({ ...ENDPOINT, OTEL_METRIC_EXPORT_INTERVAL: '5000' })).toEqual({ intervalMs: 5_000 })
  })
})

describe('no metrics are sent', () => {
  test.each([
    [{}],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }],
    [{ OTEL_SERVICE_NAME: 'site office' }],
    [{ ...ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' }],
    [{ ...ENDPOINT, OTEL_METRICS_EXPORTER: 'none' }],
    [{ OTEL_METRICS_EXPORTER: 'prometheus' }],
  ])('with %o', (env) => {
    expect(readTelemetrySettings(env)).toBeUndefined()
  })

  test.each<readonly [Readonly<Record<string, string>>, string]>([
    [{ ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'OTEL_EXPORTER_OTLP_PROTOCOL=grpc'],
    [{ ...ENDPOINT, OTEL_METRICS_EXPORTER: 'console' }, 'OTEL_METRICS_EXPORTER=console'],
    ...['0', '-5', '1e9', 'soon', '99999999999'].map(
      (text) => [{ ...ENDPOINT, OTEL_METRIC_EXPORT_INTERVAL: text }, `OTEL_METRIC_EXPORT_INTERVAL=${text}`] as const,
    ),
  ])('with %o, and the reason names it', (env, name) => {
    expect(() => readTelemetrySettings(env)).toThrow(UnsupportedTelemetry)
    expect(() => readTelemetrySettings(env)).toThrow(name)
  })
})
