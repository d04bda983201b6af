import { useRecords } from '@holdfast/react'
import { LocateFixed, Maximize, Minus, Plus } from 'lucide-react'
import { type JSX, useEffect, useRef, useState } from 'react'
import { useSize } from '../../../hooks/use-size.ts'
import { EmptyState } from '../../../components/empty-state.tsx'
import { IconButton } from '../../../components/icon-button.tsx'
import { Select } from '../../../components/select.tsx'
import { mapMessages as words } from '../../../messages/map.ts'
import type { KindProps } from '../kind-props.ts'
import type { GridQuery } from '../query/grid-query.ts'
import { useSearchedQuery } from '../use-searched-query.ts'
import { BackgroundNotes } from './background/background-notes.tsx'
import { TileGround } from './background/tile-ground.tsx'
import { useBackground } from './background/use-background.ts'
import { formatMetres, MapGround, ScaleBar } from '../../../components/map-ground.tsx'
import { MapSpots } from './map-spots.tsx'
import { cellsOver, type Extent, extentSql, type Spot, spotsSql } from './map-sql.ts'
import { pointFields, pointFieldsOf, type PointFields, pointLabel, renderPoint } from '../../../lib/map/point-fields.ts'
import { boundsOf, type Camera, fitTo, type Size, toScreen, ZOOM_MAX } from '../../../lib/map/projection.ts'
import { RecordsHere } from './records-here.tsx'
import { type CameraControl, useCamera } from './use-camera.ts'
import { usePosition } from './use-position.ts'

/** Side length in pixels of a cell, whose records form one cluster. */
const CELL_PX = 64
/** Time in ms that the map must be still before its records are queried. */
const RESTED_MS = 120
const THROTTLE_MS = 200
/** Distance in degrees below which zooming in cannot separate records. */
const SAME_PLACE = 1e-5
/** Initial camera of a map never opened before: Europe. */
const ANYWHERE: Camera = { lon: 10, lat: 50, zoom: 3 }

/** The records of a view on a map, over the operator's background or a ground that works offline. */
export function MapView(props: KindProps): JSX.Element {
  const { fields, view } = props
  const usable = pointFields(fields)
  const point = pointFieldsOf(fields, view.settings.point)
  if (!point) return <EmptyState title={words.noFields}>{words.noFieldsDetail}</EmptyState>
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      {usable.length > 1 ? (
        <div className="flex items-center gap-2 px-3 py-2">
          <Select
            label={words.by}
            isLabelHidden
            className="w-60"
            value={renderPoint(point)}
            options={usable.map((one) => ({ value: renderPoint(one), label: words.byField(pointLabel(one)) }))}
            onChange={(setting) => view.set('point', setting)}
          />
        </div>
      ) : null}
      <MapOfPoints key={renderPoint(point)} {...props} point={point} />
    </div>
  )
}

function MapOfPoints({ table, view, state, point }: KindProps & { readonly point: PointFields }): JSX.Element {
  const element = useRef<HTMLDivElement>(null)
  const query = useSearchedQuery(view.query)
  const extent = useExtent(query, point)
  const [moved, setMoved] = useState<Camera>()
  const [here, setHere] = useState<Spot>()
  const { position, isLooking, look } = usePosition()
  const hasPlaces = extent !== undefined && extent.placed > 0
  const size = useSize(element)
  const camera = moved ?? (hasPlaces && size ? fitTo(extent, size) : ANYWHERE)
  const control = useCamera(element, size, camera, setMoved, hasPlaces ? () => setMoved(undefined) : undefined)
  const spots = useSpots(query, point, camera, size)
  const background = useBackground()
  const onSpot = (spot: Spot): void => {
    if (spot['#count'] === 1) return view.openRecord(spot.id)
    const isOnePlace = spot['#east'] - spot['#west'] < SAME_PLACE && spot['#north'] - spot['#south'] < SAME_PLACE
    if (isOnePlace || camera.zoom >= ZOOM_MAX || !size) return setHere(spot)
    const bounds = { west: spot['#west'], east: spot['#east'], south: spot['#south'], north: spot['#north'] }
    setMoved(fitTo(bounds, size, ZOOM_MAX))
  }
  return (
    <div
      ref={element}
      role="application"
      aria-label={words.mapOf(table.label)}
      aria-describedby="map-keys"
      aria-busy={extent === undefined}
      tabIndex={0}
      className="focus-inset relative min-h-0 flex-1 cursor-grab touch-none overflow-hidden bg-sunken active:cursor-grabbing"
      {...control.handlers}
    >
      <p className="sr-only" id="map-keys">
        {words.keys}
      </p>
      {size === undefined ? null : (
        <>
          {background.state.phase === 'shown' ? null : <MapGround camera={camera} size={size} />}
          {background.style === undefined ? null : (
            <TileGround key={background.attempt} {...{ background, camera }} style={background.style} />
          )}
          {position === undefined ? null : <MyPosition {...{ position, camera, size }} />}
          <MapSpots {...{ table, spots, camera, size, onSpot }} fields={view.shown} openRecord={view.record} />
        </>
      )}
      {extent !== undefined && extent.placed === 0 ? (
        <div className="pointer-events-none absolute inset-x-4 top-1/4 mx-auto max-w-md rounded-lg bg-raised/92">
          <EmptyState title={words.noPlaces(table.many)}>{words.noPlacesDetail}</EmptyState>
        </div>
      ) : null}
      <ScaleBar camera={camera} />
      <div className="pointer-events-none absolute right-2 bottom-2 left-36 flex flex-col items-end gap-1 text-right text-small">
        <Without count={extent && state.count !== undefined ? state.count - extent.placed : 0} />
        <BackgroundNotes background={background} />
      </div>
      <MapButtons
        control={control}
        isLooking={isLooking}
        onPosition={() =>
          look((found) => setMoved({ lon: found.lon, lat: found.lat, zoom: Math.max(camera.zoom, 14) }))
        }
      />
      {here === undefined ? null : (
        <RecordsHere
          {...{ query, point }}
          spot={here}
          fields={view.shown}
          onOpen={view.openRecord}
          onClose={() => setHere(undefined)}
        />
      )}
    </div>
  )
}

function Without({ count }: { readonly count: number }): JSX.Element | null {
  if (count <= 0) return null
  return <p className="rounded-sm bg-raised/90 px-1.5 py-0.5">{words.withoutPlace(count)}</p>
}

function MapButtons({
  control,
  isLooking,
  onPosition,
}: {
  readonly control: CameraControl
  readonly isLooking: boolean
  readonly onPosition: () => void
}): JSX.Element {
  const { onAll, zoom } = control
  return (
    <div className="absolute top-3 right-3 flex flex-col gap-1 rounded-lg border border-border bg-raised p-1 shadow-popover">
      <IconButton label={words.closer} icon={<Plus size={18} aria-hidden />} onPress={() => zoom(1)} />
      <IconButton label={words.farther} icon={<Minus size={18} aria-hidden />} onPress={() => zoom(-1)} />
      <IconButton
        label={words.all}
        icon={<Maximize size={18} aria-hidden />}
        isDisabled={onAll === undefined}
        {...(onAll ? { onPress: onAll } : {})}
      />
      <IconButton
        label={isLooking ? words.looking : words.myPosition}
        icon={<LocateFixed size={18} aria-hidden />}
        isActive={isLooking}
        onPress={onPosition}
      />
    </div>
  )
}

function MyPosition({
  position,
  camera,
  size,
}: {
  readonly position: { readonly lon: number; readonly lat: number; readonly metres: number }
  readonly camera: Camera
  readonly size: Size
}): JSX.Element {
  const { x, y } = toScreen(position, camera, size)
  return (
    <span
      role="img"
      aria-label={words.youAreHere(formatMetres(position.metres))}
      className="pointer-events-none absolute top-0 left-0"
      style={{ transform: `translate(${x}px, ${y}px)` }}
    >
      <span className="absolute size-4 -translate-1/2 rounded-full border-2 border-bg bg-info ring-4 ring-info/30" />
    </span>
  )
}

/** Returns the bounds of all records of the view; `undefined` before the first answer. */
function useExtent(query: GridQuery, point: PointFields): Extent | undefined {
  const { text, values } = extentSql(query, point)
  const { rows } = useRecords<Extent>(text, values, { throttleMs: 1_000 })
  return rows[0]
}

function useSpots(query: GridQuery, point: PointFields, camera: Camera, size: Size | undefined): readonly Spot[] {
  const rested = useRested(camera)
  const step = (CELL_PX * 360) / (256 * 2 ** Math.floor(rested.zoom))
  const cells = size && cellsOver(boundsOf(rested, size), step, step * stretchAt(rested.lat))
  const asked = cells ? spotsSql(query, point, cells) : { text: '', values: [] }
  const { rows } = useRecords<Spot>(asked.text, asked.values, { throttleMs: THROTTLE_MS })
  return rows
}

/** Returns the vertical stretch of the projection at a latitude, in steps, so that cells stay the same while the map moves a little. */
function stretchAt(lat: number): number {
  return Math.max(0.1, Math.cos(((Math.round(lat / 10) * 10) / 180) * Math.PI))
}

/** Returns the camera once it has been still for a moment. */
function useRested(camera: Camera): Camera {
  const [rested, setRested] = useState(camera)
  const { lon, lat, zoom } = camera
  useEffect(() => {
    const timer = setTimeout(() => setRested({ lon, lat, zoom }), RESTED_MS)
    return () => clearTimeout(timer)
  }, [lon, lat, zoom])
  return rested
}
