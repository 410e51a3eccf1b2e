/**
 * Stands in the built page where markdown-it imports linkify-it: an answer's bare addresses stay text (`linkify: false`),
 * so nothing ever calls it, and the 4 kB of its tables need not cross the network.
 */
export class LinkifyIt {}
