"""What a word of the command line names as agents: folders of wrappers, or a deployment in code.

The code of what is named runs. Folders are loaded as Hayhooks loads them, under the same names of
modules, so that checkpoints of one can be read by the other.
"""

from __future__ import annotations

import re
import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from inspector.errors import InspectorError
from inspector.hayhooks.a2a.app import ServedAgent

if TYPE_CHECKING:
    from hayhooks import BasePipelineWrapper
    from hayhooks.durable import RuntimeConfig, StoreConfig

    from inspector.hayhooks.a2a.stores import Stores

_FILE = "pipeline_wrapper.py"
_NAME = re.compile(r"[A-Za-z0-9_-]+\Z")
_FORMS = (
    "TARGET is a folder with a pipeline_wrapper.py, one with such folders, or module:attribute."
)
_CHUNKS = 5_000
"""How much of a stream is kept unless HAYHOOKS_DURABLE_MAX_STREAM_CHUNKS says otherwise: with the
100 of Hayhooks, whoever comes late misses the beginning."""


def agents_at(target: str, stores: Stores) -> list[ServedAgent]:
    """Return the durable agents that a target names.

    Raises:
        InspectorError: There are none, or they cannot be loaded.

    """
    place = Path(target)
    try:
        if place.is_dir():
            return _in_folder(place, stores)
        module_name, colon, attribute = target.partition(":")
        if not colon or not module_name or not attribute:
            raise InspectorError(f"{target} is no folder and no module:attribute.", hint=_FORMS)
        return [_in_module(module_name, attribute, stores)]
    except (InspectorError, KeyboardInterrupt):
        raise
    except BaseException as error:  # code of the target runs, and may raise anything
        words = f"{type(error).__name__}: {error}".rstrip(": ")
        raise InspectorError(f"{target} cannot be loaded: {words}.", hint=_FORMS) from error


def _in_folder(place: Path, stores: Stores) -> list[ServedAgent]:
    if (place / _FILE).is_file():
        folders = [place.resolve()]
    else:
        folders = sorted(each.parent for each in place.glob(f"*/{_FILE}"))
    found = []
    for folder in folders:
        wrapper = wrapper_at(folder)
        if _is_durable(wrapper):
            found.append(served(wrapper, folder.name, stores))
    if not found:
        raise InspectorError(
            f"There is no durable wrapper in {place}.",
            hint="A durable wrapper has run_durable or run_durable_async, and a durable_revision.",
        )
    return found


def wrapper_at(folder: Path) -> BasePipelineWrapper:
    """Load the wrapper in a folder, and set it up."""
    from hayhooks.server.pipelines.loader import REGISTRY_ROOT, registry_module_name
    from hayhooks.server.utils.module_loader import (
        create_pipeline_wrapper_instance,
        load_pipeline_module,
    )

    name = folder.name
    if not _NAME.match(name):
        raise InspectorError(
            f"A wrapper's folder cannot be called {name}.", hint="Use letters, digits, - and _."
        )
    package = registry_module_name(name).rpartition(".")[0]
    if REGISTRY_ROOT not in sys.modules:
        spec = ModuleSpec(REGISTRY_ROOT, loader=None, is_package=True)
        sys.modules[REGISTRY_ROOT] = module_from_spec(spec)
    module = load_pipeline_module(name, folder, package_name=package)
    sys.modules[package].__dict__["pipeline_wrapper"] = module
    setattr(sys.modules[REGISTRY_ROOT], package.rpartition(".")[2], sys.modules[package])
    return create_pipeline_wrapper_instance(module)


def _is_durable(wrapper: BasePipelineWrapper) -> bool:
    from hayhooks.server.utils.module_loader import is_durable_wrapper

    return bool(is_durable_wrapper(wrapper))


def served(wrapper: BasePipelineWrapper, name: str, stores: Stores) -> ServedAgent:
    """Return a wrapper that was set up as an agent, with a store of its own."""
    from hayhooks.durable import DurableDeployment
    from hayhooks.durable.haystack import HaystackDurableAdapter
    from hayhooks.server.pipelines.models import create_pipeline_metadata
    from hayhooks.server.utils.module_loader import (
        durable_owner_dependency,
        inspect_durable_runner,
    )

    runner, request_model, result_model = inspect_durable_runner(wrapper)
    store_config, runtime_config = _configs()
    adapter = HaystackDurableAdapter(wrapper.pipeline)
    deployment = DurableDeployment(
        name,
        wrapper.durable_revision,
        stores.of(name, store_config),
        request_model,
        runner,
        kind=adapter.kind,
        result_model=result_model,
        resume_model=wrapper.durable_resume_model,
        adapter=adapter,
        config=runtime_config,
    )
    description = create_pipeline_metadata(name, wrapper).get("description")
    return ServedAgent(
        deployment,
        description=description if isinstance(description, str) else "",
        card=wrapper.a2a_card or {},
        owner=durable_owner_dependency(wrapper),
    )


def _configs() -> tuple[StoreConfig, RuntimeConfig]:
    """Return what the variables HAYHOOKS_DURABLE_* say, as Hayhooks' own server takes it."""
    from dataclasses import fields

    from hayhooks.durable import RuntimeConfig, StoreConfig
    from hayhooks.settings import settings

    def chosen(config: type[Any]) -> dict[str, Any]:
        names = (each.name for each in fields(config))
        told = {name: getattr(settings, f"durable_{name}", None) for name in names}
        return {name: value for name, value in told.items() if value is not None}

    runs = chosen(RuntimeConfig)
    # Who stops this server should not have to wait for what runs: it goes on at the next start.
    release = "durable_release_running_on_shutdown"
    told = release not in settings.model_fields_set or getattr(settings, release)
    runs["release_running_on_close"] = bool(told)
    kept = chosen(StoreConfig)
    if "durable_max_stream_chunks" not in settings.model_fields_set:
        kept["max_stream_chunks"] = _CHUNKS
    return (
        StoreConfig(**{**kept, "monitoring_enabled": True}),
        RuntimeConfig(**runs),
    )


def _in_module(module_name: str, attribute: str, stores: Stores) -> ServedAgent:
    from hayhooks import BasePipelineWrapper
    from hayhooks.durable import DurableDeployment
    from hayhooks.server.utils.module_loader import create_pipeline_wrapper_instance

    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    found: Any = import_module(module_name)
    for part in attribute.split("."):
        found = getattr(found, part)
    if isinstance(found, BasePipelineWrapper) or (
        isinstance(found, type) and issubclass(found, BasePipelineWrapper)
    ):
        made = found
        wrapper = create_pipeline_wrapper_instance(
            SimpleNamespace(PipelineWrapper=made if isinstance(made, type) else lambda: made)
        )
        return served(wrapper, _name_of(attribute, made), stores)
    if not isinstance(found, (DurableDeployment, ServedAgent)) and callable(found):
        found = found()
    if isinstance(found, ServedAgent):
        return found
    if isinstance(found, DurableDeployment):
        return ServedAgent(found)
    raise InspectorError(
        f"{module_name}:{attribute} is no agent: its type is {type(found).__name__}.",
        hint="It has to be a DurableDeployment, a durable wrapper, or a function that returns one.",
    )


def _name_of(attribute: str, wrapper: Any) -> str:
    """Return what a wrapper in code is called: nearly all classes of wrappers have one name."""
    name = attribute.rpartition(".")[2]
    if name != "PipelineWrapper":
        return name
    module = wrapper.__module__ if isinstance(wrapper, type) else type(wrapper).__module__
    return module.rpartition(".")[2]
