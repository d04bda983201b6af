import {
  type DashboardConfig,
  TILE_HEIGHT_MAX,
  TILE_WIDTH_MAX,
  type UnreadTile,
  type DashboardTile,
} from '@holdfast/protocol'

export type Tiles = DashboardConfig['tiles']

export function moveTile(tiles: Tiles, from: number, to: number): Tiles {
  const place = Math.min(Math.max(to, 0), tiles.length - 1)
  const tile = tiles[from]
  if (!tile || place === from) return tiles
  return tiles.toSpliced(from, 1).toSpliced(place, 0, tile)
}

export function resizeTile(tiles: Tiles, id: string, width: number, height: number): Tiles {
  return replaceTile(tiles, id, (tile) => ({
    ...tile,
    width: Math.min(Math.max(width, 1), TILE_WIDTH_MAX),
    height: Math.min(Math.max(height, 1), TILE_HEIGHT_MAX),
  }))
}

/** Changes a tile that this version knows. */
export function replaceTile(tiles: Tiles, id: string, change: (tile: DashboardTile) => DashboardTile): Tiles {
  return tiles.map((tile): DashboardTile | UnreadTile =>
    tile.id === id && tile.kind !== 'unread' ? change(tile) : tile,
  )
}
