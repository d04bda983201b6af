/** Functions as projects have them: what the client sends comes back, in the form that the test asks for. */
export const PROJECT: Readonly<Record<string, string>> = {
  'config.toml': `
project_id = "northline"

[functions.open]
verify_jwt = false

[functions.socket]
verify_jwt = false

[functions.switched-off]
enabled = false

[functions.elsewhere]
entrypoint = "./functions/_shared/elsewhere.ts"
verify_jwt = false

[edge_runtime.secrets]
FROM_CONFIG = "configured"
`,
  'functions/.env': 'GREETING=Good morning\nSUPABASE_URL=https://not.yours.example\n',
  'functions/_shared/cors.ts': `
export const corsHeaders: Record<string, string> = {
  'Access-Control-Allow-Origin': 'https://app.example.com',
  'Access-Control-Allow-Headers': 'authorization, x-client-info, apikey, content-type',
}
`,
  'functions/_shared/elsewhere.ts': `Deno.serve(() => new Response('from another place'))`,
  'functions/mirror/index.ts': `
import { serve } from 'https://deno.land/std@0.168.0/http/server.ts'

serve(async (request: Request) => {
  const headers = Object.fromEntries(request.headers)
  switch (request.headers.get('response-type')) {
    case 'blob':
      return new Response(await request.blob(), { headers: { 'content-type': 'application/octet-stream' } })
    case 'form':
      return new Response(await request.formData())
    case 'none':
      return new Response(new TextEncoder().encode('no type'))
    default:
      return Response.json({ url: request.url, method: request.method, headers, body: await request.text() })
  }
})
`,
  'functions/form/index.ts': `
Deno.serve(async (request) => {
  const form = await request.formData()
  const file = form.get('file')
  return Response.json({ name: form.get('name'), file: await file.text(), fileName: file.name })
})
`,
  'functions/status/index.ts': `
import { corsHeaders } from '../_shared/cors.ts'

export default {
  fetch(request: Request): Response {
    if (request.method === 'OPTIONS') return new Response('ok', { headers: corsHeaders })
    const status = Number(new URL(request.url).searchParams.get('status') ?? 200)
    return Response.json({ status }, { status, headers: corsHeaders })
  },
}
`,
  'functions/environment/index.ts': `
Deno.serve(() => Response.json(Deno.env.toObject()))
`,
  'functions/open/index.ts': `
import http from 'node:http'

http.createServer((request, response) => response.end('node ' + request.url)).listen(9999)
`,
  'functions/events/index.ts': `
Deno.serve(() => {
  const encoder = new TextEncoder()
  const body = new ReadableStream({
    async start(controller) {
      for (const event of ['one', 'two', 'three']) {
        controller.enqueue(encoder.encode('data: ' + event + '\\n\\n'))
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
      controller.close()
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
})
`,
  'functions/slow/index.ts': `
let begun = 0
let aborted = 0
Deno.serve(async (request) => {
  if (request.method === 'GET') return Response.json({ begun, aborted })
  begun += 1
  request.signal.addEventListener('abort', () => { aborted += 1 })
  await new Promise((resolve) => setTimeout(resolve, 60_000))
  return new Response('late')
})
`,
  'functions/echo-stream/index.ts': `
Deno.serve((request) => new Response(request.body?.pipeThrough(new TransformStream({
  transform(chunk, controller) { controller.enqueue(new TextEncoder().encode(new TextDecoder().decode(chunk).toUpperCase())) },
}))))
`,
  'functions/socket/index.ts': `
Deno.serve((request) => {
  if (request.headers.get('upgrade') !== 'websocket') return new Response('a WebSocket, please', { status: 426 })
  const { socket, response } = Deno.upgradeWebSocket(request)
  socket.onmessage = (event) => socket.send('heard ' + event.data)
  return response
})
`,
  'functions/prints/index.ts': `
Deno.serve(() => {
  Deno.stdout.writeSync(new TextEncoder().encode('half a line'))
  console.log('a line')
  return new Response('printed')
})
`,
  'functions/throws/index.ts': `Deno.serve(() => { throw new Error('in the handler') })`,
  'functions/no-import/index.ts': `import { nothing } from './nothing.ts'\nDeno.serve(() => new Response(nothing))`,
  'functions/bad-syntax/index.ts': `Deno.serve(() => { const = 1 })`,
  'functions/throws-at-start/index.ts': `throw new Error('at the start')`,
  'functions/mapped/index.ts': `import { corsHeaders } from 'shared/cors'\nDeno.serve(() => Response.json(corsHeaders))`,
  'functions/mapped/deno.json': `{
  // Comments are allowed here.
  "imports": { "shared/": "../_shared/", "shared/cors": "../_shared/cors.ts" },
}`,
  'functions/switched-off/index.ts': `Deno.serve(() => new Response('never'))`,
  'functions/isolated/index.ts': `
Deno.serve(async () => {
  const attempts = {
    passwd: () => Deno.readTextFile('/etc/passwd'),
    secrets: () => Deno.readTextFile(new URL('../.env', import.meta.url)),
    write: () => Deno.writeTextFile(new URL('./x.txt', import.meta.url), 'x'),
    run: () => new Deno.Command('/bin/true').output(),
    thread: () => new Worker('data:text/javascript,', { type: 'module' }),
    temporary: async () => Deno.readTextFile(await Deno.makeTempFile()),
  }
  const results: Record<string, string> = {}
  for (const [name, attempt] of Object.entries(attempts)) {
    results[name] = await Promise.resolve().then(attempt).then(() => 'allowed', (error: Error) => error.name)
  }
  return Response.json(results)
})
`,
}
