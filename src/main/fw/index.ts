import { PlainResource, RequestDraft, Resource, RestEvent, RestStore } from '../index.ts';
import type { PlainRestResource, RestResource } from '../index.ts';
import { ListController, List as ListWidget } from '../list/index.ts';

/**
 * The classic names. The namespace only names: each member is the class that `offstage` or `offstage/list` exports, and
 * is a type too (`fw.io.rest.Resource`).
 */
export const fw: Namespace = {
  bom: { rest: { Resource: PlainResource } },
  data: { controller: { List: ListController }, store: { Rest: RestStore } },
  event: { type: { Rest: RestEvent } },
  io: { request: { AbstractRequest: RequestDraft }, rest: { Resource } },
  ui: { form: { List: ListWidget } },
};

interface Namespace {
  readonly bom: { readonly rest: { readonly Resource: typeof PlainResource } };
  readonly data: {
    readonly controller: { readonly List: typeof ListController };
    readonly store: { readonly Rest: typeof RestStore };
  };
  readonly event: { readonly type: { readonly Rest: typeof RestEvent } };
  readonly io: {
    readonly request: { readonly AbstractRequest: typeof RequestDraft };
    readonly rest: { readonly Resource: typeof Resource };
  };
  readonly ui: { readonly form: { readonly List: typeof ListWidget } };
}

export declare namespace fw {
  namespace bom.rest {
    /** Handlers get plain objects: `{ id, action, response, request, ... }`. */
    type Resource = PlainRestResource;
  }
  namespace data.controller {
    type List = ListController;
  }
  namespace data.store {
    type Rest<Model = unknown> = RestStore<Model>;
  }
  namespace event.type {
    type Rest<Response = unknown> = RestEvent<Response>;
  }
  namespace io.request {
    /** A request as `configureRequest` sees it. See `RequestData` for everything that its `requestData` may be. */
    type AbstractRequest = RequestDraft;
  }
  namespace io.rest {
    type Resource = RestResource;
  }
  namespace ui.form {
    type List = ListWidget;
  }
}
