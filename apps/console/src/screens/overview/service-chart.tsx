import type { JSX } from 'react'
import type { RequestHistory, ServiceHistory } from '@holdfast/protocol'
import { formatCount } from '../../lib/format.ts'
import { barsOf, totalsOf } from './chart-bars.ts'

const BARS = 60
const WIDTH = 300
const HEIGHT = 56
const HOUR_S = 3_600

/** Requests of a service over time as bars, with its totals in words. */
export function ServiceChart({
  service,
  range,
}: {
  readonly service: ServiceHistory
  readonly range: Omit<RequestHistory, 'services'>
}): JSX.Element {
  const bars = barsOf(service, BARS)
  const { requests, refused, failed, meanMs } = totalsOf(service)
  const highest = Math.max(1, ...bars.map((bar) => bar.ok + bar.refused + bar.failed))
  const hours = (service.requests.length * range.stepSeconds) / HOUR_S
  const words = `${formatCount(requests)} requests, ${formatCount(refused)} refused, ${formatCount(failed)} failed`
  return (
    <figure className="flex flex-col gap-2 rounded-lg border border-border bg-raised p-4">
      <figcaption className="flex items-baseline justify-between gap-2">
        <h3 className="text-heading capitalize">{service.service}</h3>
        <span className="text-small text-muted tabular-nums">{meanMs.toFixed(1)} ms on average</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${service.service}: ${words} in ${hours} h; at most ${formatCount(highest)} in one bar`}
        data-chart
        className="h-14 w-full"
      >
        {bars.map((bar, index) => (
          <Stack
            key={index}
            bar={bar}
            x={(index * WIDTH) / bars.length}
            width={WIDTH / bars.length}
            scale={HEIGHT / highest}
          />
        ))}
        <line x1="0" x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} className="stroke-border" />
      </svg>
      <p className="text-small text-muted tabular-nums">{words}</p>
    </figure>
  )
}

function Stack({
  bar,
  x,
  width,
  scale,
}: {
  readonly bar: ReturnType<typeof barsOf>[number]
  readonly x: number
  readonly width: number
  readonly scale: number
}): JSX.Element {
  const parts = [
    ['fill-accent', bar.ok],
    ['fill-warning', bar.refused],
    ['fill-danger', bar.failed],
  ] as const
  let top = HEIGHT
  return (
    <>
      {parts.map(([fill, count]) => {
        const height = count * scale
        top -= height
        return count === 0 ? null : (
          <rect key={fill} x={x + width * 0.1} y={top} width={width * 0.8} height={height} className={fill} />
        )
      })}
    </>
  )
}
