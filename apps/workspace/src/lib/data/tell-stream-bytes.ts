import { tellStreamBytes } from '@holdfast/client'

// The page sees neither bytes nor keepalives of the stream, which are the best evidence of a reachable server.
globalThis.fetch = tellStreamBytes(globalThis.fetch.bind(globalThis), self.name)
