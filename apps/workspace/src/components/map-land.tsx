import { type JSX, useEffect, useState } from 'react'
import { boundsOf, type Camera, project, type Size } from '../lib/map/projection.ts'
import landAddress from './map-land.txt?url'

/** Zoom at which the paths are drawn; the camera scales them. */
const PATH_ZOOM = 8
/** Shown fully up to here, and not at all from {@link GONE_ZOOM}: the outline is exact to some 5 km, and closer it would put a pumping station into the sea. */
const FULL_ZOOM = 7.5
const GONE_ZOOM = 9
/** Islands below this size on screen are left out. */
const SIZE_PX_MIN = 1.5
/** Units of the file per degree. */
const PER_DEGREE = 100

interface Ring {
  readonly path: string
  readonly west: number
  readonly east: number
  readonly south: number
  readonly north: number
}

let rings: Promise<readonly Ring[]> | undefined

/**
 * Land and sea under a map without a background of the operator, from Natural Earth (public domain). Its file is precached, so it works offline. Renders nothing
 * before it is loaded, and close up.
 */
export function MapLand({ camera, size }: { readonly camera: Camera; readonly size: Size }): JSX.Element | null {
  const [land, setLand] = useState<readonly Ring[]>()
  const isShown = camera.zoom < GONE_ZOOM
  // The file is outside React.
  useEffect(() => {
    if (!isShown) return
    let isOver = false
    rings ??= loadRings()
    rings.then(
      (loaded) => isOver || setLand(loaded),
      (error: unknown) => {
        rings = undefined // the next map loads it again; this one keeps its lines of latitude and longitude
        console.info('The outline of the land could not be loaded.', error)
      },
    )
    return () => {
      isOver = true
    }
  }, [isShown])
  if (!isShown || land === undefined) return null
  const scale = 2 ** (camera.zoom - PATH_ZOOM)
  const { x, y } = project(camera, camera.zoom)
  const bounds = boundsOf(camera, size)
  const degreePx = (256 * 2 ** camera.zoom) / 360
  const seen = land.filter(
    (ring) =>
      ring.west < bounds.east &&
      ring.east > bounds.west &&
      ring.south < bounds.north &&
      ring.north > bounds.south &&
      (ring.east - ring.west) * degreePx > SIZE_PX_MIN,
  )
  return (
    <svg
      aria-hidden
      data-land
      width={size.width}
      height={size.height}
      opacity={Math.min(1, (GONE_ZOOM - camera.zoom) / (GONE_ZOOM - FULL_ZOOM))}
      className="pointer-events-none absolute inset-0"
    >
      <rect width={size.width} height={size.height} className="fill-info-soft" />
      <g
        transform={`translate(${size.width / 2 - x} ${size.height / 2 - y}) scale(${scale})`}
        className="fill-sunken stroke-control"
      >
        {seen.map((ring) => (
          <path key={ring.path.slice(0, 40)} d={ring.path} strokeWidth={0.75} vectorEffect="non-scaling-stroke" />
        ))}
      </g>
    </svg>
  )
}

async function loadRings(): Promise<readonly Ring[]> {
  const response = await fetch(landAddress)
  if (!response.ok) throw new Error(`The server answered with ${response.status}.`)
  return (await response.text()).split(';').map(toRing)
}

/** @param ring - pairs of longitude and latitude, each relative to the one before */
function toRing(ring: string): Ring {
  const steps = ring.split(',').map(Number)
  let [lon, lat] = [0, 0]
  let path = ''
  let [west, east, south, north] = [180, -180, 90, -90]
  for (let at = 0; at < steps.length; at += 2) {
    lon += steps[at] ?? 0
    lat += steps[at + 1] ?? 0
    const place = { lon: lon / PER_DEGREE, lat: lat / PER_DEGREE }
    west = Math.min(west, place.lon)
    east = Math.max(east, place.lon)
    south = Math.min(south, place.lat)
    north = Math.max(north, place.lat)
    const { x, y } = project(place, PATH_ZOOM)
    path += `${at === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`
  }
  return { path: `${path}Z`, west, east, south, north }
}
