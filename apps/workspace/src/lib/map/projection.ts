/** A place on the globe, in degrees. */
export interface Place {
  readonly lon: number
  readonly lat: number
}

/** Centre and zoom of a map. */
export interface Camera extends Place {
  /** At `0` the world is 256 pixels wide; each level doubles that. */
  readonly zoom: number
}

/** Edges in degrees. */
export interface Bounds {
  readonly west: number
  readonly south: number
  readonly east: number
  readonly north: number
}

export interface Size {
  readonly width: number
  readonly height: number
}

const WORLD_PX = 256
export const ZOOM_MIN = 1
export const ZOOM_MAX = 19
/** Latitude limit of the square projection. @see https://wiki.openstreetmap.org/wiki/Slippy_map_tilenames */
const LAT_MAX = 85.0511
const EARTH_METRES = 40_075_016.686

/** Returns pixels from the north-west corner of the world (spherical Mercator). */
export function project({ lon, lat }: Place, zoom: number): { readonly x: number; readonly y: number } {
  const scale = WORLD_PX * 2 ** zoom
  const sine = Math.sin((clamp(lat, -LAT_MAX, LAT_MAX) * Math.PI) / 180)
  return { x: scale * (lon / 360 + 0.5), y: scale * (0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) }
}

export function unproject({ x, y }: { readonly x: number; readonly y: number }, zoom: number): Place {
  const scale = WORLD_PX * 2 ** zoom
  const angle = Math.PI * (1 - (2 * y) / scale)
  return { lon: (x / scale - 0.5) * 360, lat: (Math.atan(Math.sinh(angle)) * 180) / Math.PI }
}

/** Returns a place's position in the window, from the top left. */
export function toScreen(
  place: Place,
  camera: Camera,
  { width, height }: Size,
): { readonly x: number; readonly y: number } {
  const [at, middle] = [project(place, camera.zoom), project(camera, camera.zoom)]
  return { x: at.x - middle.x + width / 2, y: at.y - middle.y + height / 2 }
}

/** Returns the bounds of the visible map. */
export function boundsOf(camera: Camera, { width, height }: Size): Bounds {
  const middle = project(camera, camera.zoom)
  const northWest = unproject({ x: middle.x - width / 2, y: middle.y - height / 2 }, camera.zoom)
  const southEast = unproject({ x: middle.x + width / 2, y: middle.y + height / 2 }, camera.zoom)
  return { west: northWest.lon, north: northWest.lat, east: southEast.lon, south: southEast.lat }
}

/** Returns the camera after dragging the map by some pixels. */
export function moveBy(camera: Camera, dx: number, dy: number): Camera {
  const middle = project(camera, camera.zoom)
  return toCamera(unproject({ x: middle.x + dx, y: middle.y + dy }, camera.zoom), camera.zoom)
}

/** Returns the camera after zooming around a pixel of the window, whose place stays fixed. */
export function zoomBy(camera: Camera, by: number, at: { readonly x: number; readonly y: number }, size: Size): Camera {
  const zoom = clamp(camera.zoom + by, ZOOM_MIN, ZOOM_MAX)
  const [dx, dy] = [at.x - size.width / 2, at.y - size.height / 2]
  const under = moveBy(camera, dx, dy)
  const there = project(under, zoom)
  return toCamera(unproject({ x: there.x - dx, y: there.y - dy }, zoom), zoom)
}

/** Returns the closest camera that shows the whole bounds. */
export function fitTo({ west, south, east, north }: Bounds, { width, height }: Size, zoomMax = 15): Camera {
  const [a, b] = [project({ lon: west, lat: north }, 0), project({ lon: east, lat: south }, 0)]
  const room = (pixels: number, length: number): number => Math.log2(Math.max(64, pixels - 96) / Math.max(length, 1e-9))
  const zoom = Math.min(room(width, b.x - a.x), room(height, b.y - a.y), zoomMax)
  return toCamera(unproject({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 }, 0), zoom)
}

/** Returns a round length and its width in pixels, up to a limit, for a scale bar at the centre of the map. */
export function scaleOf(
  { lat, zoom }: Camera,
  pixelsMax: number,
): { readonly metres: number; readonly pixels: number } {
  const perPixel = (EARTH_METRES * Math.cos((lat * Math.PI) / 180)) / (WORLD_PX * 2 ** zoom)
  const most = perPixel * pixelsMax
  const power = 10 ** Math.floor(Math.log10(most))
  const metres = ([5, 2, 1].find((one) => one * power <= most) ?? 1) * power
  return { metres, pixels: metres / perPixel }
}

const STEPS = [45, 30, 15, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002]

/** Returns the degrees between grid lines, so that they keep a minimum distance. */
export function lineStep({ zoom }: Camera, pixelsMin: number): number {
  const perDegree = (WORLD_PX * 2 ** zoom) / 360
  return STEPS.findLast((step) => step * perDegree >= pixelsMin) ?? 45
}

/** Returns the multiples of a step within a range. */
export function linesBetween(from: number, to: number, step: number): readonly number[] {
  const first = Math.ceil(from / step)
  const count = Math.max(0, Math.floor(to / step) - first + 1)
  return Array.from({ length: Math.min(count, 200) }, (_, index) => Number(((first + index) * step).toFixed(6)))
}

function toCamera({ lon, lat }: Place, zoom: number): Camera {
  return { lon: clamp(lon, -180, 180), lat: clamp(lat, -LAT_MAX, LAT_MAX), zoom: clamp(zoom, ZOOM_MIN, ZOOM_MAX) }
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value))
}
