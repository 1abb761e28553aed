/** What lies at an address, by method, and the values of its `:name` parts. */
export interface FoundRoute<Value> {
  readonly byMethod: ReadonlyMap<string, Value>;
  /** Decoded. */
  readonly parameters: Readonly<Record<string, string>>;
}

interface Node<Value> {
  readonly children: Map<string, Node<Value>>;
  parameter: { readonly name: string; readonly node: Node<Value> } | null;
  readonly byMethod: Map<string, Value>;
}

function newNode<Value>(): Node<Value> {
  return { children: new Map(), parameter: null, byMethod: new Map() };
}

/**
 * Finds routes by the parts of their paths, however many there are; a router of patterns tries one after the other. As in Express,
 * a slash at the end means nothing, letters are taken as they are, and a part may be anything but empty.
 */
export class RouteFinder<Value> {
  private readonly root: Node<Value> = newNode();

  /** @throws TypeError where two routes name one part of a path differently */
  add(method: string, path: string, value: Value): void {
    let node = this.root;
    for (const part of path.split('/').slice(1)) {
      if (!part.startsWith(':')) {
        const child = node.children.get(part) ?? newNode<Value>();
        node.children.set(part, child);
        node = child;
        continue;
      }
      node.parameter ??= { name: part.slice(1), node: newNode() };
      if (node.parameter.name !== part.slice(1))
        throw new TypeError(`${path} names a part "${part}" that is ":${node.parameter.name}" elsewhere`);
      node = node.parameter.node;
    }
    node.byMethod.set(method, value);
  }

  /** Null where nothing lies at the address. @throws URIError where a part of it cannot be decoded */
  find(url: string): FoundRoute<Value> | null {
    const query = url.indexOf('?');
    let path = query < 0 ? url : url.slice(0, query);
    if (path.length > 1 && path.endsWith('/')) path = path.slice(0, -1);
    let node = this.root;
    const parameters: Record<string, string> = {};
    for (let from = 1; from <= path.length; ) {
      const slash = path.indexOf('/', from);
      const to = slash < 0 ? path.length : slash;
      const part = path.slice(from, to);
      from = to + 1;
      const child = node.children.get(part);
      if (child !== undefined) {
        node = child;
        continue;
      }
      if (node.parameter === null || part === '') return null;
      parameters[node.parameter.name] = part.includes('%') ? decodeURIComponent(part) : part;
      node = node.parameter.node;
    }
    return node.byMethod.size === 0 ? null : { byMethod: node.byMethod, parameters };
  }
}
