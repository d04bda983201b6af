import type { JSX } from 'react'
import { boundsOf, type Camera, lineStep, linesBetween, scaleOf, type Size, toScreen } from './projection.ts'
import { pageLocale } from '../../../lib/language.ts'

const LINES_PX_MIN = 110
const SCALE_PX_MAX = 110

/** The ground of a map that needs no network: lines of longitude and latitude with their degrees. For eyes only. */
export function MapGround({ camera, size }: { readonly camera: Camera; readonly size: Size }): JSX.Element {
  const bounds = boundsOf(camera, size)
  const step = lineStep(camera, LINES_PX_MIN)
  const meridians = linesBetween(bounds.west, bounds.east, step)
  const parallels = linesBetween(bounds.south, bounds.north, step)
  return (
    <svg
      aria-hidden
      width={size.width}
      height={size.height}
      className="pointer-events-none absolute inset-0 fill-muted stroke-none text-[0.6875rem]"
    >
      {meridians.map((lon) => {
        const { x } = toScreen({ lon, lat: camera.lat }, camera, size)
        return (
          <g key={lon}>
            <line x1={x} x2={x} y1={0} y2={size.height} className="stroke-border" />
            <text x={x + 4} y={12}>
              {degrees(lon, 'E', 'W')}
            </text>
          </g>
        )
      })}
      {parallels.map((lat) => {
        const { y } = toScreen({ lon: camera.lon, lat }, camera, size)
        return (
          <g key={lat}>
            <line x1={0} x2={size.width} y1={y} y2={y} className="stroke-border" />
            <text x={4} y={y - 4}>
              {degrees(lat, 'N', 'S')}
            </text>
          </g>
        )
      })}
    </svg>
  )
}

function degrees(value: number, positive: string, negative: string): string {
  const side = value === 0 ? '' : ` ${value > 0 ? positive : negative}`
  return `${Math.abs(value).toLocaleString(pageLocale(), { maximumFractionDigits: 4 })}°${side}`
}

/** How long a piece of the map is. */
export function ScaleBar({ camera }: { readonly camera: Camera }): JSX.Element {
  const { metres, pixels } = scaleOf(camera, SCALE_PX_MAX)
  return (
    <p className="pointer-events-none absolute bottom-2 left-2 rounded-sm bg-raised/85 px-1.5 py-0.5 text-small tabular-nums">
      {formatMetres(metres)}
      <span aria-hidden className="block h-1.5 border-x border-b border-text" style={{ width: pixels }} />
    </p>
  )
}

/** `200 m`, `5 km`, in the reader's format. */
export function formatMetres(metres: number): string {
  return metres < 1000
    ? metres.toLocaleString(pageLocale(), { style: 'unit', unit: 'meter', maximumFractionDigits: 0 })
    : (metres / 1000).toLocaleString(pageLocale(), { style: 'unit', unit: 'kilometer', maximumFractionDigits: 1 })
}
