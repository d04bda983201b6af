import { ValueType, type HrTime } from '@opentelemetry/api'
import {
  AggregationTemporality,
  DataPointType,
  type DataPoint,
  type Histogram,
  type MetricData,
} from '@opentelemetry/sdk-metrics'
import type { Family, Sample } from '../gateway/metrics/families.ts'

export interface Period {
  /** Start of counting. */
  readonly startTime: HrTime
  readonly endTime: HrTime
}

/**
 * Converts metrics to OpenTelemetry's model under the same names as at `/metrics`. Counters become monotonic sums. Collectors that export to Prometheus append
 * nothing to names ending in `_total` or the unit.
 */
export function toMetricData(families: readonly Family[], period: Period): readonly MetricData[] {
  return families.filter(({ samples }) => samples.length > 0).map((family) => toMetric(family, period))
}

function toMetric(family: Family, period: Period): MetricData {
  const { name, type, help } = family
  const aggregationTemporality = AggregationTemporality.CUMULATIVE
  const descriptor = { name, description: help, unit: unitOf(name), valueType: ValueType.DOUBLE }
  if (type === 'histogram') {
    const dataPoints = toHistograms(family.samples, period)
    return { descriptor, aggregationTemporality, dataPointType: DataPointType.HISTOGRAM, dataPoints }
  }
  const dataPoints = family.samples.map(({ labels = {}, value }) => ({ ...period, attributes: { ...labels }, value }))
  return type === 'counter'
    ? { descriptor, aggregationTemporality, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
    : { descriptor, aggregationTemporality, dataPointType: DataPointType.GAUGE, dataPoints }
}

/** Returns the UCUM unit from the name's suffix, as recommended by Prometheus. */
function unitOf(name: string): string {
  const base = name.replace(/_total$/, '')
  return base.endsWith('_seconds') ? 's' : base.endsWith('_bytes') ? 'By' : ''
}

/** Converts cumulative Prometheus buckets to OpenTelemetry's histograms, which count per bucket. */
function toHistograms(samples: readonly Sample[], period: Period): DataPoint<Histogram>[] {
  const groups = Map.groupBy(samples, ({ labels = {} }) => {
    const { le: _, ...others } = labels
    return JSON.stringify(others)
  })
  return [...groups].map(([attributes, group]) => {
    const valueOf = (suffix: string): number => group.find((sample) => sample.suffix === suffix)?.value ?? 0
    const below = group.filter(({ suffix }) => suffix === '_bucket')
    return {
      ...period,
      attributes: JSON.parse(attributes) as Record<string, string>,
      value: {
        buckets: {
          boundaries: below.map(({ labels }) => Number(labels?.['le'])).filter(Number.isFinite), // the last bucket is unbounded
          counts: below.map(({ value }, index) => value - (below[index - 1]?.value ?? 0)),
        },
        sum: valueOf('_sum'),
        count: valueOf('_count'),
      },
    }
  })
}
