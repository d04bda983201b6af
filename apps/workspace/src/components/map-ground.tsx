import type { JSX } from 'react'
import { lazyAfterPaint } from './late-content.tsx'
import { boundsOf, type Camera, lineStep, linesBetween, scaleOf, type Size, toScreen } from '../lib/map/projection.ts'
import { pageLocale } from '../lib/language.ts'

const LINES_PX_MIN = 110
const SCALE_PX_MAX = 110

const MapLand = lazyAfterPaint<MapGroundProps>(async () => (await import('./map-land.tsx')).MapLand)

interface MapGroundProps {
  readonly camera: Camera
  readonly size: Size
}

/** A map ground that works offline: land and sea where the outline is exact enough, and labelled lines of longitude and latitude. Decorative. */
export function MapGround({ camera, size }: MapGroundProps): JSX.Element {
  const bounds = boundsOf(camera, size)
  const step = lineStep(camera, LINES_PX_MIN)
  const meridians = linesBetween(bounds.west, bounds.east, step)
  const parallels = linesBetween(bounds.south, bounds.north, step)
  return (
    <>
      <MapLand camera={camera} size={size} />
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
    </>
  )
}

function degrees(value: number, positive: string, negative: string): string {
  const side = value === 0 ? '' : ` ${value > 0 ? positive : negative}`
  return `${Math.abs(value).toLocaleString(pageLocale(), { maximumFractionDigits: 4 })}°${side}`
}

/** The scale bar. */
export function ScaleBar({ camera }: { readonly camera: Camera }): JSX.Element {
  const { metres, pixels } = scaleOf(camera, SCALE_PX_MAX)
  return (
    <p className="pointer-events-none absolute bottom-2 left-2 rounded-sm bg-raised/85 px-1.5 py-0.5 text-small tabular-nums">
      {formatMetres(metres)}
      <span aria-hidden className="block h-1.5 border-x border-b border-text" style={{ width: pixels }} />
    </p>
  )
}

/** Formats a length like `200 m` or `5 km`, following the locale. */
export function formatMetres(metres: number): string {
  return metres < 1000
    ? metres.toLocaleString(pageLocale(), { style: 'unit', unit: 'meter', maximumFractionDigits: 0 })
    : (metres / 1000).toLocaleString(pageLocale(), { style: 'unit', unit: 'kilometer', maximumFractionDigits: 1 })
}
