import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Colours of the styles, which no part of the app has. */
export const MAP_COLOURS = { light: [197, 226, 160], dark: [38, 60, 110] } as const

/** A server of vector tiles of its own origin, as operators run one. */
export interface MapServer extends AsyncDisposable {
  /** For browsers that `--host-resolver-rules` tells where it is: the same in every run, because a server of maps is part of what devices keep. */
  readonly url: string
  /** Where it really listens. */
  readonly address: string
  /** Tells a server of it. */
  readonly serverArgs: readonly string[]
  /** From now on it takes requests and says nothing, or answers, those that wait as well. */
  setSilent(isSilent: boolean): void
}

const URL_OF_MAPS = 'http://127.0.0.1:54322'

export async function openMapServer(): Promise<MapServer> {
  const url = URL_OF_MAPS
  let isSilent = false
  const waiting: (() => void)[] = []
  const server = createServer((request, response) => {
    const reply = (): void => answer(new URL(request.url ?? '/', url).pathname, url, response)
    if (isSilent) waiting.push(reply)
    else reply()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url,
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    serverArgs: [`--map-style-url=${url}/light.json`, `--map-dark-style-url=${url}/dark.json`],
    setSilent(next) {
      isSilent = next
      if (!isSilent) for (const reply of waiting.splice(0)) reply()
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function answer(path: string, url: string, response: ServerResponse): void {
  const [, look] = /^\/(light|dark)\.json$/.exec(path) ?? []
  const body =
    look === 'light' || look === 'dark'
      ? JSON.stringify(styleOf(url, MAP_COLOURS[look]))
      : path === '/tiles.json'
        ? JSON.stringify(tilesOf(url))
        : /^\/\d+\/\d+\/\d+\.pbf$/.test(path)
          ? landTile()
          : undefined
  response.writeHead(body === undefined ? 404 : 200, { 'access-control-allow-origin': '*' }).end(body)
}

function styleOf(url: string, [red, green, blue]: readonly [number, number, number]): object {
  return {
    version: 8,
    sources: { land: { type: 'vector', url: `${url}/tiles.json` } },
    layers: [
      { id: 'sea', type: 'background', paint: { 'background-color': '#8fb4c9' } },
      {
        id: 'land',
        type: 'fill',
        source: 'land',
        'source-layer': 'land',
        paint: { 'fill-color': `rgb(${red}, ${green}, ${blue})`, 'fill-antialias': false },
      },
    ],
  }
}

function tilesOf(url: string): object {
  return {
    tilejson: '3.0.0',
    tiles: [`${url}/{z}/{x}/{y}.pbf`],
    minzoom: 0,
    maxzoom: 14,
    attribution: '<a href="https://maps.example.com/copyright">&copy; Drawn for a test</a>',
  }
}

/**
 * A tile whose western half is land.
 *
 * @see https://github.com/mapbox/vector-tile-spec/tree/master/2.1
 */
function landTile(): Buffer {
  const zigzag = (value: number): number => (value << 1) ^ (value >> 31)
  const to = (x: number, y: number): number[] => [zigzag(x), zigzag(y)]
  const square = [9, ...to(0, 0), 26, ...to(2_048, 0), ...to(0, 4_096), ...to(-2_048, 0), 15]
  const polygon = 3
  const feature = Buffer.concat([number(3, polygon), bytes(4, Buffer.concat(square.map(varint)))])
  return bytes(3, Buffer.concat([bytes(1, Buffer.from('land')), bytes(2, feature), number(5, 4_096), number(15, 2)]))
}

/** A field of a message of Protocol Buffers. */
function number(field: number, value: number): Buffer {
  return Buffer.concat([varint(field << 3), varint(value)])
}

function bytes(field: number, value: Buffer): Buffer {
  return Buffer.concat([varint((field << 3) | 2), varint(value.length), value])
}

function varint(value: number): Buffer {
  const out: number[] = []
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 128) return Buffer.from([...out, rest])
    out.push((rest & 127) | 128)
  }
}
