import type { Route } from './route.ts'

export interface FoundRoute {
  readonly route: Route
  readonly parameters: Readonly<Record<string, string>>
}

/**
 * Finds the route of a method and path. Fixed segments win over parameters, as in Fastify.
 *
 * @param path - encoded
 */
export function findRoute(routes: readonly Route[], method: string, path: string): FoundRoute | undefined {
  const segments = path.split('/')
  let found: FoundRoute | undefined
  for (const route of routes) {
    if (route.method !== method) continue
    const parameters = matchSegments(route.path.split('/'), segments)
    if (!parameters) continue
    if (!found || Object.keys(parameters).length < Object.keys(found.parameters).length) found = { route, parameters }
  }
  return found
}

function matchSegments(
  pattern: readonly string[],
  segments: readonly string[],
): Readonly<Record<string, string>> | undefined {
  if (pattern.length !== segments.length) return undefined
  const parameters: Record<string, string> = {}
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index] ?? ''
    if (!part.startsWith(':')) {
      if (part !== segment) return undefined
      continue
    }
    const value = decode(segment)
    if (value === undefined || value === '') return undefined
    parameters[part.slice(1)] = value
  }
  return parameters
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}
