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
 * The metrics as OpenTelemetry has them, under the same names as at `/metrics`: what counts is a sum that never falls, and a collector that writes for Prometheus adds
 * nothing to a name that ends in `_total` or in its unit.
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

/** Units by the ends of names that Prometheus recommends, in UCUM. */
function unitOf(name: string): string {
  const base = name.replace(/_total$/, '')
  return base.endsWith('_seconds') ? 's' : base.endsWith('_bytes') ? 'By' : ''
}

/** Prometheus has a line for each upper end, with what is below it; OpenTelemetry has one value with what is between each two. */
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
          boundaries: below.map(({ labels }) => Number(labels?.['le'])).filter(Number.isFinite), // the last has no end
          counts: below.map(({ value }, index) => value - (below[index - 1]?.value ?? 0)),
        },
        sum: valueOf('_sum'),
        count: valueOf('_count'),
      },
    }
  })
}
