import { tellStreamBytes } from '@holdfast/client'

// The page sees neither the stream's bytes nor its keepalives, and they are the best evidence that the server is there.
globalThis.fetch = tellStreamBytes(globalThis.fetch.bind(globalThis), self.name)
